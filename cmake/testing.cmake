# glassbox::testing: what tests of somebody's own layers link. It needs no test framework: its matcher fits several.
file(GLOB testing_sources CONFIGURE_DEPENDS lib/glassbox/testing/*.cpp)
add_library(glassbox_testing STATIC ${testing_sources})
add_library(glassbox::testing ALIAS glassbox_testing)
set_target_properties(glassbox_testing PROPERTIES EXPORT_NAME testing)
glassbox_compile_options(glassbox_testing)
target_link_libraries(glassbox_testing PUBLIC glassbox::glassbox)

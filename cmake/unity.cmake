# Several files compiled as one: most of the time of a first build goes into reading the same headers and instantiating the
# same templates for each of hundreds of small files. A generated file includes them. No source knows of it.
#     glassbox_unity(sources NAME 12 FOLDERS folder… [OPTIONS option…] [BY_FOLDER])
# replaces the .cpp files of `sources` below FOLDERS by files NAME_1.cpp, NAME_2.cpp … that include up to 12 of them, compiled
# with OPTIONS. What one file declares, the next sees, anonymous namespaces included: files come together only where none
# uses a name that another declares and all open the same namespaces, so that none can take another's helper. Files with
# options or include folders of their own are left alone. BY_FOLDER: no two folders come together, so that a small program
# that links the library gets little of it (what calls a student's function must not have the layers in it).
# (CMake's UNITY_BUILD puts files together whatever they declare, and leaves every file with options alone.)
function(glassbox_unity sources name batch)
  if(NOT GLASSBOX_UNITY)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 3 unity "BY_FOLDER" "" "FOLDERS;OPTIONS")
  string(JOIN "|" chosen ${unity_FOLDERS})
  set(kept "")
  set(parts 0)
  foreach(file IN LISTS ${sources})
    file(RELATIVE_PATH path ${CMAKE_CURRENT_SOURCE_DIR} ${file})
    get_source_file_property(options ${file} COMPILE_OPTIONS)
    get_source_file_property(includes ${file} INCLUDE_DIRECTORIES)
    if(options OR includes OR path MATCHES "^\\.\\." OR NOT path MATCHES "\\.cpp$" OR NOT path MATCHES "^(${chosen})")
      list(APPEND kept ${file})
      continue()
    endif()
    file(READ ${file} text)
    glassbox_declared_names("${text}" declared)
    glassbox_used_names("${text}" used)
    string(REGEX MATCHALL "\nusing (namespace )?[A-Za-z_:]+;" opened "${text}")
    if(unity_BY_FOLDER)
      get_filename_component(folder ${path} DIRECTORY)
      list(APPEND opened ${folder})
    endif()
    set(part 0)
    while(TRUE) # the first part that has room and no name in common
      math(EXPR part "${part} + 1")
      if(part GREATER parts)
        set(parts ${part})
        break()
      endif()
      list(LENGTH files_${part} count)
      if(count LESS batch AND "${opened}" STREQUAL "${opened_${part}}")
        glassbox_any_of("${declared}" "${used_${part}}" is_taken)
        glassbox_any_of("${declared_${part}}" "${used}" takes)
        if(NOT is_taken AND NOT takes)
          break()
        endif()
      endif()
    endwhile()
    list(APPEND files_${part} ${file})
    set(opened_${part} "${opened}")
    list(APPEND declared_${part} ${declared})
    string(APPEND used_${part} "${used}")
  endforeach()
  foreach(part RANGE 1 ${parts})
    if(part GREATER parts) # RANGE counts down to 0
      break()
    endif()
    # By their paths in the repository: a compiler cache knows them in any checkout.
    set(files ${files_${part}})
    list(TRANSFORM files REPLACE "(.+)" "#include \"\\1\"\n")
    string(CONCAT included ${files})
    string(REPLACE "\"${PROJECT_SOURCE_DIR}/" "\"" included "${included}")
    set(merged ${CMAKE_CURRENT_BINARY_DIR}/unity/${name}_${part}.cpp)
    file(CONFIGURE OUTPUT ${merged} @ONLY CONTENT "@included@")
    set_source_files_properties(${merged} PROPERTIES INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR})
    if(unity_OPTIONS)
      set_source_files_properties(${merged} PROPERTIES COMPILE_OPTIONS "${unity_OPTIONS}")
    endif()
    list(APPEND kept ${merged})
  endforeach()
  set(${sources} ${kept} PARENT_SCOPE)
endfunction()

# Whether one of these names is among those used.
function(glassbox_any_of names used found)
  set(${found} FALSE PARENT_SCOPE)
  foreach(name IN LISTS names)
    string(REPLACE "(" "" plain "${name}") # a function may be used without a call
    string(FIND "${used}" ";${name};" place)
    string(FIND "${used}" ";${plain};" place_without)
    if(NOT place EQUAL -1 OR NOT place_without EQUAL -1)
      set(${found} TRUE PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# The names that a source has outside of comments, each as ";name;", with a parenthesis where it is called; members of
# objects are none.
function(glassbox_used_names text names)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REGEX MATCHALL "[.>]?[A-Za-z_][A-Za-z_0-9]*\\(?" found "${text}")
  list(FILTER found EXCLUDE REGEX "^[.>]")
  list(REMOVE_DUPLICATES found)
  list(JOIN found ";;" found)
  set(${names} ";${found};" PARENT_SCOPE)
endfunction()


# The names that a source declares at the beginning of a line, where namespaces have their contents (.clang-format): types,
# aliases and variables, and functions with the parenthesis behind.
function(glassbox_declared_names text names)
  string(REPLACE "\n" "\n\n" text "\n${text}") # so that a match may begin with the line break that ended the one before
  string(REGEX MATCHALL "\n(struct|class|enum|enum class|concept) [A-Za-z_0-9]+" types "${text}")
  string(REGEX MATCHALL "\n(using|namespace) [A-Za-z_0-9]+ =" aliases "${text}") # no namespace, which may be opened again
  string(REGEX MATCHALL "\n[A-Za-z_][^]\n[#(){};=/]*[ &*]+[A-Za-z_0-9]+(\\(| =|{)" others "${text}")
  set(found "")
  if(text MATCHES "\n[A-Za-z_][^\n#;]*[ &*]operator")
    list(APPEND found operator)
  endif()
  foreach(match IN LISTS types aliases others)
    if(NOT match MATCHES "^\nnamespace [a-z:]+ {$" AND match MATCHES "([A-Za-z_0-9]+\\(?)( =|{)?$")
      list(APPEND found ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES found) # overloads in one file
  set(${names} ${found} PARENT_SCOPE)
endfunction()

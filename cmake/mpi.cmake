# The module that lets several ranks train together, where MPI is found: opened when mpirun has started them.
find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND)
  glassbox_module(glassbox_mpi lib/glassbox/distributed/mpi/communicator.cpp)
  target_link_libraries(glassbox_mpi PRIVATE MPI::MPI_CXX)
  target_compile_definitions(glassbox_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
else()
  message(STATUS "MPI was not found: training runs in one process (libopenmpi-dev brings several)")
endif()

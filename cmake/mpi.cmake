# The module for training on several ranks, where MPI is found; loaded when mpirun has started the process.
find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND)
  glassbox_module(glassbox_mpi lib/glassbox/distributed/mpi/communicator.cpp)
  target_link_libraries(glassbox_mpi PRIVATE MPI::MPI_CXX)
  target_compile_definitions(glassbox_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
else()
  message(STATUS "MPI was not found: training runs in one process (install libopenmpi-dev for several)")
endif()

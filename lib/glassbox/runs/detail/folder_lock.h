#pragma once
#include <filesystem>

#include <glassbox/io/detail/descriptor.h>

namespace glassbox {

// Keeps a second run out of a run's folder, which is made where there is none. The system lets go of it when
// the process ends, however that happens; nothing is left in the folder. It stays with a folder that is
// renamed.
class FolderLock {
  public:
    // Throws IoError when the folder cannot be made, or when another run has it.
    explicit FolderLock(const std::filesystem::path& folder);

  private:
    Descriptor folder_;
};

}  // namespace glassbox

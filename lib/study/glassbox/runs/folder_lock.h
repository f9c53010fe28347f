#pragma once
#include <filesystem>

#include <glassbox/io/file.h>

namespace glassbox {

// An exclusive lock on a run's folder, which is created if needed. The system releases the lock however the
// process ends, and there is no lock file. It follows the folder when that is renamed.
class FolderLock {
  public:
    // Throws IoError when the folder cannot be created, or when another run has locked it.
    explicit FolderLock(const std::filesystem::path& folder);

  private:
    Descriptor folder_;
};

}  // namespace glassbox

//! Whether an engine can be started, as far as its file tells.

use super::elf;
use super::program;
use super::spec::EngineSpec;

impl EngineSpec {
    /// Checks that the operating system can start its program, and that a compiled one has its
    /// libraries.
    ///
    /// # Errors
    /// What is wrong and what to do, without the file's name.
    pub fn can_start(&self) -> Result<(), String> {
        program::check(&self.program)?;
        // Its author names directories of libraries, perhaps ones that only its box has.
        if self.environment.contains_key(elf::OWN_PATH) {
            return Ok(());
        }
        match elf::missing_library(&self.program) {
            Some(library) => Err(format!(
                "it needs the library {library}, which is not on this machine; install it, or link it statically"
            )),
            None => Ok(()),
        }
    }
}

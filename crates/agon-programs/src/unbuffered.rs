//! What switches off the buffer of a program's output, to see whether that holds back its answers.

use std::collections::BTreeMap;
use std::path::Path;

use super::spec::EngineSpec;

/// The environment of an engine, with what switches off the buffers of Python and of the C library.
pub fn environment(engine: &EngineSpec) -> BTreeMap<String, String> {
    let mut environment = engine.environment.clone();
    environment.insert("PYTHONUNBUFFERED".to_owned(), "1".to_owned());
    // As stdbuf(1) of GNU coreutils does it, which has the library in one of these places.
    let places = ["/usr/libexec/coreutils/libstdbuf.so", "/usr/lib/coreutils/libstdbuf.so"];
    if let Some(library) = places.into_iter().find(|place| Path::new(place).exists()) {
        environment.insert("LD_PRELOAD".to_owned(), library.to_owned());
        environment.insert("_STDBUF_O".to_owned(), "0".to_owned());
    }
    environment
}

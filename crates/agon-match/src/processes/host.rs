//! The machine on which agon runs. Every game is stored with it, because engines search less on a
//! slower machine.

use std::fs;
use std::sync::OnceLock;

use agon_record::Host;

/// The variables that name the machine, the first one that is set; otherwise the system does. Slurm
/// names its nodes itself, and several of them may share one machine.
const NAMES: [&str; 2] = ["AGON_HOST", "SLURMD_NODENAME"];
/// The most bytes of a name.
const LONGEST: usize = 120;

/// This machine.
pub fn here() -> &'static Host {
    static HERE: OnceLock<Host> = OnceLock::new();
    HERE.get_or_init(|| {
        let named = NAMES.iter().find_map(|name| std::env::var(name).ok().filter(|name| !name.is_empty()));
        let name = named.unwrap_or_else(|| rustix::system::uname().nodename().to_string_lossy().into_owned());
        let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
        Host { name: short(&name), cpu: short(&cpu()), cores: u32::try_from(cores).unwrap_or(u32::MAX) }
    })
}

/// The model of the first processor; empty where the kernel does not tell.
fn cpu() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map(|(_, model)| model.trim().to_owned()).unwrap_or_default()
}

fn short(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

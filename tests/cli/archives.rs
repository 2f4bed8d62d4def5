//! Zip archives as other systems pack them, byte by byte: the names are bytes, and the packing
//! system is named.

/// MS-DOS and Windows, and Unix, in the field `version made by`.
pub(crate) const WINDOWS: u16 = 20;
pub(crate) const UNIX: u16 = 3 << 8 | 20;

/// A zip archive with these files, stored as they are. On Unix each may be executed.
pub(crate) fn zip(system: u16, files: &[(&[u8], &[u8])]) -> Vec<u8> {
    let (mut all, mut central) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let start = u32::try_from(all.len()).unwrap();
        let (length, size) = (u16::try_from(name.len()).unwrap(), u32::try_from(bytes.len()).unwrap());
        let mut shared = Vec::new();
        // Version needed, flags, method, time, date.
        for number in [20_u16, 0, 0, 0, 0x21] {
            shared.extend(number.to_le_bytes());
        }
        for number in [crc.sum(), size, size] {
            shared.extend(number.to_le_bytes());
        }
        shared.extend(length.to_le_bytes());
        shared.extend(0_u16.to_le_bytes());
        all.extend(b"PK\x03\x04");
        all.extend(&shared);
        all.extend(*name);
        all.extend(*bytes);
        central.extend(b"PK\x01\x02");
        central.extend(system.to_le_bytes());
        central.extend(&shared);
        central.extend([0; 6]);
        let mode: u32 = if system == UNIX { 0o100_755 << 16 } else { 0x20 };
        central.extend(mode.to_le_bytes());
        central.extend(start.to_le_bytes());
        central.extend(*name);
    }
    let (start, size) = (u32::try_from(all.len()).unwrap(), u32::try_from(central.len()).unwrap());
    let count = u16::try_from(files.len()).unwrap();
    all.extend(central);
    all.extend(b"PK\x05\x06\0\0\0\0");
    all.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    all.extend([size.to_le_bytes(), start.to_le_bytes()].concat());
    all.extend([0, 0]);
    all
}

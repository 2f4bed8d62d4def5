//! Shows hostile bytes: `cargo run -p agon-printable --example show`.

fn main() {
    let hostile = b"red \x1b[31m text, \xff and a bell \x07";
    println!("{}", agon_printable::escape(hostile, 80));
    println!("cut to 12: {}", agon_printable::escape(hostile, 12));
}

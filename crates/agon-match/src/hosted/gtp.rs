//! The table `[gtp]` of a `game.toml`: what engines that speak the Go Text Protocol are told of a
//! game.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use agon_printable::escape;
use agon_seats::Seat;
use serde::Deserialize;

use super::options::{OptionSpec, Values};

/// The table as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GtpFile {
    size: toml::Value,
    komi: Option<toml::Value>,
    black: Option<toml::Value>,
}

/// What engines that speak GTP are told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GtpTable {
    /// The number of columns and rows.
    pub size: GtpSetting,
    /// What is sent as `komi`.
    pub komi: Option<GtpSetting>,
    /// The seat that plays black.
    pub black: Seat,
}

/// A number that is sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GtpSetting {
    /// This one.
    Number(String),
    /// The value of the option with this name.
    Option(String),
}

impl GtpFile {
    /// The table of a game with so many seats and with these options. An error comes with its key;
    /// the next step stands behind the last `; `.
    pub(super) fn checked(
        self,
        seats: &RangeInclusive<usize>,
        options: &BTreeMap<String, OptionSpec>,
    ) -> Result<GtpTable, (&'static str, String)> {
        if *seats != (2..=2) {
            return Err((
                "gtp",
                "GTP has two colours, and the game can have more seats; write seats = 2".to_owned(),
            ));
        }
        let size = setting(&self.size, options, false).map_err(|why| ("gtp.size", why))?;
        let komi = self.komi.map(|komi| setting(&komi, options, true)).transpose();
        let black = match self.black.as_ref().map(toml::Value::as_integer) {
            None | Some(Some(1)) => Seat::FIRST,
            Some(Some(2)) => Seat::SECOND,
            Some(_) => return Err(("gtp.black", "is no seat of two; write 1 or 2".to_owned())),
        };
        Ok(GtpTable { size, komi: komi.map_err(|why| ("gtp.komi", why))?, black })
    }
}

/// A number, or the name of an option that has numbers.
fn setting(
    value: &toml::Value,
    options: &BTreeMap<String, OptionSpec>,
    fractions: bool,
) -> Result<GtpSetting, String> {
    let what = if fractions { "a number" } else { "a whole number" };
    match value {
        toml::Value::Integer(number) => Ok(GtpSetting::Number(number.to_string())),
        toml::Value::Float(number) if fractions => Ok(GtpSetting::Number(number.to_string())),
        toml::Value::String(name) => match options.get(name).map(|option| &option.values) {
            Some(Values::Integer(..)) => Ok(GtpSetting::Option(name.clone())),
            Some(Values::Number(..)) if fractions => Ok(GtpSetting::Option(name.clone())),
            Some(_) => Err(format!("the option {name} is not {what}; name another option")),
            None => Err(format!(
                "there is no option {}; write {what}, or the name of an option",
                escape(name.as_bytes(), 60)
            )),
        },
        _ => Err(format!("is no value; write {what}, or the name of an option that is one")),
    }
}

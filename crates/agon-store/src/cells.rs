//! Values of columns: what is stored for a part of a record, and what is read back.

use std::borrow::Cow;
use std::time::Duration;

use agon_record::{Ply, Traffic, Unanswered, Usage};
use agon_seats::Seat;
use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use rusqlite::types::{FromSql, ToSql, ToSqlOutput, Value, ValueRef};

/// A value of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum StoredCell<'a> {
    Null,
    Number(i64),
    Text(Cow<'a, str>),
    Bytes(Cow<'a, [u8]>),
}

impl<'a> StoredCell<'a> {
    pub(super) fn text(text: &'a str) -> Result<Self> {
        Ok(StoredCell::Text(Cow::Borrowed(text)))
    }

    pub(super) fn maybe_text(text: Option<String>) -> Result<Self> {
        Ok(text.map_or(StoredCell::Null, |text| StoredCell::Text(Cow::Owned(text))))
    }

    pub(super) fn number(number: impl Into<i64>) -> Result<Self> {
        Ok(StoredCell::Number(number.into()))
    }

    pub(super) fn maybe_number(number: Option<impl Into<i64>>) -> Result<Self> {
        Ok(number.map_or(StoredCell::Null, |number| StoredCell::Number(number.into())))
    }
}

impl ToSql for StoredCell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            StoredCell::Null => ToSqlOutput::Owned(Value::Null),
            StoredCell::Number(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            StoredCell::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            StoredCell::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

pub(super) fn number_of(seat: Seat) -> i64 {
    i64::try_from(seat.index()).expect("a seat is a small number")
}

/// As a list, because the names of the fields would be longer than the rest of a short game.
pub(super) fn traffic(traffic: &Traffic) -> Result<String> {
    let Traffic { told, said, logged, unasked, crlf, deaf } = traffic;
    Ok(serde_json::to_string(&(told, said, logged, unasked, crlf, deaf))?)
}

pub(super) fn traffic_of(text: &str) -> Result<Traffic> {
    let (told, said, logged, unasked, crlf, deaf) = serde_json::from_str(text)?;
    Ok(Traffic { told, said, logged, unasked, crlf, deaf })
}

pub(super) fn usage(usage: &Usage) -> Result<Option<String>> {
    if usage.is_nothing() {
        return Ok(None);
    }
    let text =
        serde_json::to_string(&(micros(usage.cpu), micros(usage.off_turn), usage.memory, usage.threads));
    Ok(Some(text?))
}

pub(super) fn usage_of(text: Option<&str>) -> Result<Usage> {
    let Some(text) = text else { return Ok(Usage::default()) };
    let (cpu, off_turn, memory, threads) = serde_json::from_str(text)?;
    let (cpu, off_turn) = (Duration::from_micros(cpu), Duration::from_micros(off_turn));
    Ok(Usage { cpu, off_turn, memory, threads })
}

pub(super) fn unanswered(question: Unanswered) -> Result<String> {
    Ok(serde_json::to_string(&(micros(question.time), micros(question.allowance), question.greeting))?)
}

pub(super) fn unanswered_of(text: &str) -> Result<Unanswered> {
    let (time, allowance, greeting) = serde_json::from_str(text)?;
    Ok(Unanswered {
        time: Duration::from_micros(time),
        allowance: Duration::from_micros(allowance),
        greeting,
    })
}

/// A number, stored as a multiple of `1 / parts`.
#[allow(clippy::cast_possible_truncation)] // neither a load nor a share has so many digits
pub(super) fn whole(number: Option<f64>, parts: f64) -> Option<i64> {
    number.map(|number| (number * parts).round() as i64)
}

pub(super) fn share(value: ValueRef<'_>, parts: f64) -> Result<Option<f64>> {
    Ok(value.as_i64_or_null()?.map(|number| number as f64 / parts))
}

/// Times have no fraction of a microsecond: see [`agon_seats::whole_micros`].
pub(super) fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

pub(super) fn take<T: FromSql>(to: &mut T, value: ValueRef<'_>) -> Result<()> {
    *to = T::column_result(value)?;
    Ok(())
}

pub(super) fn take_micros(to: &mut Duration, value: ValueRef<'_>) -> Result<()> {
    *to = Duration::from_micros(u64::column_result(value)?);
    Ok(())
}

pub(super) fn take_json<T: serde::de::DeserializeOwned>(
    to: &mut Option<T>,
    value: ValueRef<'_>,
) -> Result<()> {
    *to = value.as_str_or_null()?.map(serde_json::from_str).transpose()?;
    Ok(())
}

/// Notes a value that was read.
pub(super) fn put<T>(to: &mut T, value: T) -> Result<()> {
    *to = value;
    Ok(())
}

/// Nanoseconds since 1970. A time outside 64 bits, before 1677 or after 2262, is stored as 1970.
pub(super) fn nanos(at: DateTime<Utc>) -> i64 {
    at.timestamp_nanos_opt().unwrap_or(0)
}

/// One line per ply. Moves are printable ASCII and thoughts are escaped, so neither has a tab or
/// newline.
pub(super) fn plies_text(plies: &[Ply]) -> String {
    let mut text = String::with_capacity(24 * plies.len());
    let mut digits = itoa::Buffer::new();
    for ply in plies {
        text.push_str(digits.format(ply.seat.index()));
        text.push('\t');
        text.push_str(digits.format(ply.points));
        text.push('\t');
        text.push_str(digits.format(micros(ply.time)));
        text.extend(["\t", &ply.text]);
        if let Some(thought) = &ply.thought {
            text.extend(["\t", thought]);
        }
        text.push('\n');
    }
    text
}

/// Reads the plies back.
pub(super) fn plies_of_text(text: &str) -> Result<Vec<Ply>> {
    text.lines()
        .map(|line| {
            let mut cells = line.splitn(5, '\t');
            let mut cell = || cells.next().context("a ply lacks a column");
            let (seat, points, micros, text) = (cell()?, cell()?, cell()?, cell()?.to_owned());
            Ok(Ply {
                seat: Seat::new(seat.parse::<u8>()?.into()),
                points: points.parse()?,
                time: Duration::from_micros(micros.parse()?),
                text,
                thought: cells.next().map(str::to_owned),
            })
        })
        .collect()
}

//! Times as learning systems and people write them into the names of files.

use agon_config::Moment;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// What a name says of the time at which something was handed in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum WrittenTime {
    /// Nothing.
    Missing,
    /// This time.
    At(Moment),
    /// Something that looks like a date, and is not understood.
    Unread(String),
}

impl WrittenTime {
    /// The time, if there is one.
    pub(super) fn moment(&self) -> Option<Moment> {
        match self {
            WrittenTime::At(moment) => Some(*moment),
            WrittenTime::Missing | WrittenTime::Unread(_) => None,
        }
    }
}

/// Where the time of a submission was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum TimeSource {
    /// Nowhere: no time is known.
    #[default]
    Unknown,
    /// The name in the download or in the roster.
    Name,
    /// The file of Gradescope that names its submissions.
    Metadata,
    /// When it came into the folder of `agon inbox`.
    Inbox,
    /// The column `submitted` of the roster.
    Roster,
    /// The column `use`.
    Use,
    /// The option `--late`, or the list of late students.
    Late,
    /// The option `--untimed`.
    Untimed,
}

impl TimeSource {
    /// The words in the table.
    pub(super) fn words(self) -> &'static str {
        match self {
            TimeSource::Unknown => "",
            TimeSource::Name => "the name",
            TimeSource::Metadata => "submission_metadata.yml",
            TimeSource::Inbox => "the inbox",
            TimeSource::Roster => "column submitted",
            TimeSource::Use => "column use",
            TimeSource::Late => "the option --late",
            TimeSource::Untimed => "the option --untimed",
        }
    }

    /// Whether the teacher has said it.
    pub(super) fn is_teacher(self) -> bool {
        matches!(self, TimeSource::Roster | TimeSource::Use | TimeSource::Late | TimeSource::Untimed)
    }
}

/// How months begin in English, German, French, Spanish, Italian, Portuguese and Dutch, without
/// accents.
const MONTHS: [(&str, u32); 35] = [
    ("jan", 1),
    ("ene", 1),
    ("gen", 1),
    ("feb", 2),
    ("fev", 2),
    ("mar", 3),
    ("maa", 3),
    ("mrt", 3),
    ("apr", 4),
    ("avr", 4),
    ("abr", 4),
    ("may", 5),
    ("mai", 5),
    ("mag", 5),
    ("mei", 5),
    ("jun", 6),
    ("juin", 6),
    ("giu", 6),
    ("jul", 7),
    ("juil", 7),
    ("lug", 7),
    ("aug", 8),
    ("aou", 8),
    ("ago", 8),
    ("sep", 9),
    ("set", 9),
    ("oct", 10),
    ("okt", 10),
    ("ott", 10),
    ("out", 10),
    ("nov", 11),
    ("dec", 12),
    ("dez", 12),
    ("dic", 12),
    ("des", 12),
];

/// The digits of a date and of a time, as they are written.
#[derive(Clone, Copy)]
struct Day {
    year: u32,
    month: u32,
    day: u32,
}

/// The time at the beginning of a text, as Brightspace writes it: `Sep 3, 2026 1159 PM`,
/// `10 September, 2026 905 AM`, `2026-09-03 2359`. It ends with the text, or before `- `. Returns
/// the rest of the text too. `None` if the text begins with no date. What is not understood whole
/// is [`WrittenTime::Unread`].
pub(super) fn at_the_beginning(text: &str) -> Option<(WrittenTime, &str)> {
    let (written, rest) = text.find("- ").map_or((text, ""), |at| text.split_at(at));
    let written = written.trim();
    let words: Vec<&str> = written.split_whitespace().collect();
    let word = |number: usize| words.get(number).copied().unwrap_or_default();
    let three = [word(0), word(1), word(2)];
    let (day, used) = match three.map(|word| word.trim_end_matches([',', '.'])) {
        [first, second, third] if month(first).is_some() => {
            (Day { month: month(first)?, day: number(second, 2)?, year: year(third)? }, 3)
        }
        [first, second, third] if month(second).is_some() => {
            (Day { day: number(first, 2)?, month: month(second)?, year: year(third)? }, 3)
        }
        [first, ..] => (numeric(first)?, 1),
    };
    let date = format!("{:04}-{:02}-{:02}", day.year, day.month, day.day);
    let time = match &words[used..] {
        [] => Some(String::new()),
        words => clock(&words.join(" ")).map(|clock| format!("T{clock}")),
    };
    let read = time.and_then(|time| format!("{date}{time}").parse().ok());
    Some((read.map_or_else(|| WrittenTime::Unread(written.to_owned()), WrittenTime::At), rest))
}

/// The time anywhere in the name of a file: `bot-2026-11-20T2359.zip`, `20261120_235900-bot.py`.
/// A date in another order of its numbers is not understood.
pub(super) fn in_name(name: &str) -> WrittenTime {
    let runs = digit_runs(name);
    for (at, (start, digits)) in runs.iter().enumerate() {
        let run = |number: usize| runs.get(at + number).map(|(_, digits)| *digits).unwrap_or_default();
        // What stands between two numbers has to be one sign.
        let joined = |number: usize| {
            let (Some((before, digits)), Some((next, _))) =
                (runs.get(at + number), runs.get(at + number + 1))
            else {
                return false;
            };
            next - (before + digits.len()) == 1
        };
        let (day, used) = if digits.len() == 8 && year(&digits[..4]).is_some() {
            (numeric_parts(&digits[..4], &digits[4..6], &digits[6..]), 1)
        } else if digits.len() == 4 && joined(0) && joined(1) && year(digits).is_some() {
            (numeric_parts(digits, run(1), run(2)), 3)
        } else if run(2).len() == 4 && digits.len() <= 2 && joined(0) && joined(1) && year(run(2)).is_some() {
            let end = start + digits.len() + 1 + run(1).len() + 1 + 4;
            return WrittenTime::Unread(name[*start..end].to_owned());
        } else {
            continue;
        };
        let Some(day) = day else { continue };
        let date = format!("{:04}-{:02}-{:02}", day.year, day.month, day.day);
        let clock = joined(used - 1).then(|| match (run(used).len(), run(used + 1).len()) {
            (4, _) => Some((run(used)[..2].to_owned(), run(used)[2..].to_owned(), used)),
            (6, _) => Some((run(used)[..2].to_owned(), run(used)[2..4].to_owned(), used)),
            (2, 2) if joined(used) => {
                // The seconds do not count.
                let last = if joined(used + 1) && run(used + 2).len() == 2 { used + 2 } else { used + 1 };
                Some((run(used).to_owned(), run(used + 1).to_owned(), last))
            }
            _ => None,
        });
        let end_of = |number: usize| runs.get(at + number).map_or(0, |(start, digits)| start + digits.len());
        let (text, end) = match clock.flatten() {
            Some((hours, minutes, last)) => (format!("{date}T{hours}:{minutes}"), end_of(last)),
            // Eight digits alone may be the number of a student.
            None if used == 1 => continue,
            // A number that may be an hour.
            None if joined(used - 1) && run(used).len() < 3 => (date, end_of(used)),
            None => (date, end_of(used - 1)),
        };
        let is_time = text.contains('T');
        return match zone_behind(&name[end..]) {
            None => text.parse().map_or(WrittenTime::Unread(text), WrittenTime::At),
            Some((zone, _)) if is_time && !zone.is_empty() => {
                format!("{text}{zone}").parse().map_or(WrittenTime::Unread(text), WrittenTime::At)
            }
            Some((_, more)) => WrittenTime::Unread(name[*start..end + more].to_owned()),
        };
    }
    WrittenTime::Missing
}

/// Whether a text looks like a date: it has a year and another number.
pub(super) fn looks_like_a_date(text: &str) -> bool {
    let runs = digit_runs(text);
    runs.len() > 1 && runs.iter().any(|(_, digits)| year(digits).is_some())
}

/// The time as Gradescope writes it: `2026-09-03 23:59:00.000000000 -07:00`.
pub(super) fn of_gradescope(text: &str) -> WrittenTime {
    let text = text.trim();
    let is_utc = text.strip_suffix("UTC").or_else(|| text.strip_suffix('Z'));
    let (time, zone) = match (is_utc, text.rsplit_once(' ')) {
        (Some(time), _) => (time.trim_end(), "+00:00"),
        (None, Some((time, zone))) if zone.starts_with(['+', '-']) => (time.trim_end(), zone),
        // A time without a zone is not understood: Gradescope knows nothing of our clocks.
        _ => return WrittenTime::Unread(text.to_owned()),
    };
    format!("{time}{zone}").parse().map_or_else(|_| WrittenTime::Unread(text.to_owned()), WrittenTime::At)
}

/// A time in the time of this machine. A date without a time stays one.
pub(super) fn shown_time(moment: Moment) -> String {
    if let Some(day) = moment.day() {
        return day.to_string();
    }
    moment.0.with_timezone(&chrono::Local).format("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// The runs of digits in a text, each with its place.
fn digit_runs(text: &str) -> Vec<(usize, &str)> {
    let mut all: Vec<(usize, &str)> = Vec::new();
    let mut start = None;
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        match (letter.is_ascii_digit(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                all.push((from, &text[from..at]));
                start = None;
            }
            _ => {}
        }
    }
    all
}

fn month(word: &str) -> Option<u32> {
    let word: String =
        word.nfd().filter(|letter| !is_combining_mark(*letter)).collect::<String>().to_lowercase();
    if word.len() < 3 || !word.chars().all(char::is_alphabetic) {
        return None;
    }
    MONTHS.iter().find(|(begin, _)| word.starts_with(begin)).map(|(_, month)| *month)
}

fn number(word: &str, most_digits: usize) -> Option<u32> {
    let is_number = !word.is_empty() && word.len() <= most_digits && word.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| word.parse().ok()).flatten()
}

fn year(word: &str) -> Option<u32> {
    number(word, 4).filter(|year| word.len() == 4 && (1990..2100).contains(year))
}

/// `2026-09-03`, or `3.9.2026`, which only has one order.
fn numeric(word: &str) -> Option<Day> {
    let word = word.trim_end_matches(',');
    if let [first, second, third] = word.split('-').collect::<Vec<_>>()[..] {
        return numeric_parts(first, second, third);
    }
    match word.split('.').collect::<Vec<_>>()[..] {
        [first, second, third] => numeric_parts(third, second, first),
        _ => None,
    }
}

fn numeric_parts(first: &str, second: &str, third: &str) -> Option<Day> {
    let (month, day) = (number(second, 2)?, number(third, 2)?);
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some(Day { year: year(first)?, month, day })
}

/// The zones that have one meaning, by RFC 822 and in Europe.
const ZONES: [(&str, &str); 18] = [
    ("z", "+00:00"),
    ("utc", "+00:00"),
    ("gmt", "+00:00"),
    ("est", "-05:00"),
    ("edt", "-04:00"),
    ("cdt", "-05:00"),
    ("mst", "-07:00"),
    ("mdt", "-06:00"),
    ("pst", "-08:00"),
    ("pdt", "-07:00"),
    ("wet", "+00:00"),
    ("west", "+01:00"),
    ("cet", "+01:00"),
    ("cest", "+02:00"),
    ("mez", "+01:00"),
    ("mesz", "+02:00"),
    ("eet", "+02:00"),
    ("eest", "+03:00"),
];

/// The offset of a zone: of `UTC`, `EDT`, `+0200`, `-07:00`.
fn zone(word: &str) -> Option<String> {
    let lower = word.to_lowercase();
    if let Some((_, offset)) = ZONES.iter().find(|(name, _)| *name == lower) {
        return Some((*offset).to_owned());
    }
    let sign = lower.chars().next().filter(|sign| "+-".contains(*sign))?;
    let digits = lower[1..].replacen(':', "", 1);
    let (hours, minutes) = (number(digits.get(..2)?, 2)?, number(digits.get(2..)?, 2)?);
    let is_offset = digits.len() == 4 && hours <= 14 && minutes < 60;
    is_offset.then(|| format!("{sign}{hours:02}:{minutes:02}"))
}

/// What changes the meaning of a time in the name of a file, behind it: the offset of a zone that
/// is understood, or nothing; and how long it is.
fn zone_behind(text: &str) -> Option<(String, usize)> {
    let words = text.trim_start_matches([' ', '_']);
    let blanks = text.len() - words.len();
    let length = words.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(words.len());
    if ["am", "pm"].contains(&&*words[..length].to_lowercase()) {
        return Some((String::new(), blanks + length));
    }
    // In small letters it may be a name.
    let is_large = words[..length].bytes().all(|letter| letter.is_ascii_uppercase());
    if let Some(offset) = zone(&words[..length]).filter(|_| is_large) {
        return Some((offset, blanks + length));
    }
    let ends = |length: &usize| words.as_bytes().get(*length).is_none_or(|byte| !byte.is_ascii_digit());
    let offset_of = |length: usize| words.get(..length).filter(|word| zone(word).is_some());
    let signed = [6, 5].into_iter().filter(ends).find_map(offset_of)?;
    // A hyphen may stand before another number.
    let offset = zone(signed).filter(|_| signed.starts_with('+')).unwrap_or_default();
    Some((offset, blanks + signed.len()))
}

/// Reads the whole of `1159 PM`, `905AM`, `9 AM`, `11 59 PM`, `23:59`, `2359 UTC` or `9h05`, as
/// `23:59`, with the offset of its zone.
fn clock(text: &str) -> Option<String> {
    let lower = text.to_lowercase().replace("a.m.", "am").replace("p.m.", "pm").replace("p.m", "pm");
    let lower = lower.replace("a.m", "am");
    let (clock, offset) = match lower.rsplit_once(' ').map(|(before, last)| (before, zone(last))) {
        Some((before, Some(offset))) => (before, offset),
        _ => match lower.strip_suffix('z') {
            Some(before) => (before, "+00:00".to_owned()),
            None => (&*lower, String::new()),
        },
    };
    let halves = [("am", 0), ("pm", 12)];
    let half = halves.into_iter().find_map(|(word, more)| Some((clock.strip_suffix(word)?.trim_end(), more)));
    let (digits, half) = half.map_or((clock, None), |(digits, more)| (digits, Some(more)));
    let parts: Vec<&str> = digits.split([' ', ':', '.', '-', '_', 'h']).collect();
    let (hours, minutes, seconds) = match (&parts[..], half) {
        ([digits], _) if digits.is_ascii() && digits.len() == 6 => {
            (&digits[..2], &digits[2..4], &digits[4..])
        }
        ([digits], _) if digits.is_ascii() && (3..=4).contains(&digits.len()) => {
            let (hours, minutes) = digits.split_at(digits.len() - 2);
            (hours, minutes, "0")
        }
        // One number alone is an hour or minutes past midnight: only a half of the day tells.
        ([hours], Some(_)) => (*hours, "0", "0"),
        ([hours, minutes], _) if minutes.len() == 2 => (*hours, *minutes, "0"),
        ([hours, minutes, seconds], _) if minutes.len() == 2 && seconds.len() == 2 => {
            (*hours, *minutes, *seconds)
        }
        _ => return None,
    };
    let [hours, minutes, seconds] = [number(hours, 2)?, number(minutes, 2)?, number(seconds, 2)?];
    let hours = match half {
        Some(half) if (0..=12).contains(&hours) => hours % 12 + half,
        Some(_) => return None,
        None => hours,
    };
    let is_clock = hours < 24 && minutes < 60 && seconds < 60;
    is_clock.then(|| format!("{hours:02}:{minutes:02}:{seconds:02}{offset}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_either_order_and_in_other_languages() {
        for (text, time, rest) in [
            ("Sep 3, 2026 1159 PM", "2026-09-03T23:59", ""),
            ("Sep 3, 2026 1159 PM - bot.zip", "2026-09-03T23:59", "- bot.zip"),
            ("10 September, 2026 905 AM", "2026-09-10T09:05", ""),
            ("10 September 2026 2105", "2026-09-10T21:05", ""),
            ("September 13, 2026 1201 AM - my bot.zip", "2026-09-13T00:01", "- my bot.zip"),
            ("September 13, 2026 1201 PM", "2026-09-13T12:01", ""),
            ("3 Okt. 2026 1530", "2026-10-03T15:30", ""),
            ("12 déc. 2026 0915", "2026-12-12T09:15", ""),
            ("1 juillet 2026 9h05", "2026-07-01T09:05", ""),
            ("2026-09-03 2359 - a - b.py", "2026-09-03T23:59", "- a - b.py"),
            ("3.9.2026 23:59", "2026-09-03T23:59", ""),
            ("Sep 3, 2026", "2026-09-03", ""),
            ("Sep 3, 2026 11 59 PM", "2026-09-03T23:59", ""),
            ("Sep 3, 2026 11-59 pm", "2026-09-03T23:59", ""),
            ("3 Sep 2026 23 59 - bot.py", "2026-09-03T23:59", "- bot.py"),
            ("Sep 3, 2026 9 AM", "2026-09-03T09:00", ""),
            ("Sep 3, 2026 5 PM", "2026-09-03T17:00", ""),
            ("Sep 3, 2026 12 AM", "2026-09-03T00:00", ""),
            ("Sep 3, 2026 1159 p.m.", "2026-09-03T23:59", ""),
            ("Sep 3, 2026 300 PM UTC", "2026-09-03T15:00Z", ""),
            ("Sep 3, 2026 1159 PM EDT - x.py", "2026-09-04T03:59Z", "- x.py"),
            ("2026-09-03 2359 +0200", "2026-09-03T21:59Z", ""),
            ("2026-09-03 1030 -0700", "2026-09-03T17:30Z", ""),
            ("Sep 3, 2026 235959", "2026-09-03T23:59:59", ""),
        ] {
            let read = at_the_beginning(text);
            assert_eq!(read, Some((WrittenTime::At(time.parse().unwrap()), rest)), "{text}");
        }
        for text in [
            "Sep 3, 2026 1360 PM",
            "Sep 3, 2026 2590",
            "Feb 30, 2026 1159 PM",
            "Sep 3, 2026 5",
            "Sep 3, 2026 0 5",
            "Sep 3, 2026 1159 PM IST",
            "Sep 3, 2026 1159 PM or so",
            "Sep 3, 2026 noon",
            "Sep 3, 2026 24 00",
            "2026-09-03 2359 +9900",
        ] {
            assert!(matches!(at_the_beginning(text), Some((WrittenTime::Unread(_), _))), "{text}");
        }
        for text in ["bot.zip", "3/4/2026 1159 PM", "Mar co", "", "Marc 3"] {
            assert_eq!(at_the_beginning(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_in_the_name_of_a_file_is_read_and_one_of_unknown_order_is_not() {
        for (name, time) in [
            ("bot-2026-11-20T2359.zip", "2026-11-20T23:59"),
            ("bot_2026-11-20_23-59-01.zip", "2026-11-20T23:59"),
            ("20261120_235901-bot.py", "2026-11-20T23:59"),
            ("bot 2026-11-20.zip", "2026-11-20"),
            ("bot-2026-11-20T2359Z.zip", "2026-11-20T23:59Z"),
            ("bot-2026-11-20T2359+0200.zip", "2026-11-20T21:59Z"),
            ("bot_2026-11-20_23-59-01+02:00.zip", "2026-11-20T21:59Z"),
            ("bot 2026-11-20 1030 EDT.zip", "2026-11-20T14:30Z"),
            ("2026-11-20_2359-main.py", "2026-11-20T23:59"),
            ("2026-11-20-main.py", "2026-11-20"),
            ("2026-11-20-2.py", "2026-11-20"),
            ("2026-11-20_2359_west.py", "2026-11-20T23:59"),
        ] {
            assert_eq!(in_name(name), WrittenTime::At(time.parse().unwrap()), "{name}");
        }
        for (name, unread) in [
            ("bot 2026-11-20 11 59 PM.zip", "2026-11-20 11 59 PM"),
            ("bot-2026-11-20 1159pm.zip", "2026-11-20 1159pm"),
            ("bot-2026-11-20 9 AM.zip", "2026-11-20 9 AM"),
            ("bot-2026-11-20T2359-0700.zip", "2026-11-20T2359-0700"),
        ] {
            assert_eq!(in_name(name), WrittenTime::Unread(unread.to_owned()), "{name}");
        }
        assert_eq!(in_name("bot-05-06-2026.zip"), WrittenTime::Unread("05-06-2026".to_owned()));
        for name in [
            "bot.zip",
            "bot2.py",
            "s1234567_hw1.zip",
            "20269999.zip",
            "20261120.zip",
            "2026.zip",
            "v1.2.3.zip",
        ] {
            assert_eq!(in_name(name), WrittenTime::Missing, "{name}");
        }
    }

    #[test]
    fn the_times_of_gradescope_have_their_zone() {
        let read = of_gradescope("2026-09-03 23:59:00.000000000 -07:00");
        assert_eq!(read, WrittenTime::At("2026-09-04T06:59Z".parse().unwrap()));
        assert_eq!(
            of_gradescope("2026-09-03 23:59:00 UTC"),
            WrittenTime::At("2026-09-03T23:59Z".parse().unwrap())
        );
        assert_eq!(
            of_gradescope("2026-09-03 23:59:00.5 Z"),
            WrittenTime::At("2026-09-03T23:59:00.5Z".parse().unwrap())
        );
        for text in ["yesterday", "2026-09-03 23:59:00", "2026-09-03"] {
            assert!(matches!(of_gradescope(text), WrittenTime::Unread(_)), "{text}");
        }
    }
}

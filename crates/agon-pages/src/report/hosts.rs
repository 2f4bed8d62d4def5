//! The hosts of a run for people: what was played on each, and whether results differ between them.

use agon_printable::{clean, decimal};
use agon_standings::homogeneity::{self, Homogeneity};
use agon_store::host::OfHost;

use super::columns::{UNKNOWN, columns};

/// Below this probability a difference is not taken for chance.
const RARE: f64 = 0.01;

/// The table of hosts.
pub fn table(all: &[OfHost]) -> String {
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|one| {
            let host = one.host.as_ref();
            let known = |text: Option<String>| text.filter(|text| !text.is_empty());
            let [first, shared, other] = one.results;
            let levels: Vec<&str> = one.levels.keys().map(String::as_str).collect();
            vec![
                name(one),
                known(host.map(|host| clean(&host.cpu))).unwrap_or_else(|| UNKNOWN.to_owned()),
                host.map(|host| host.cores.to_string()).unwrap_or_default(),
                load(one).map(|load| decimal(load, 2)).unwrap_or_default(),
                clean(&levels.join(", ")),
                one.games().to_string(),
                first.to_string(),
                shared.to_string(),
                other.to_string(),
                one.time_forfeits.to_string(),
            ]
        })
        .collect();
    let titles = [
        "host",
        "processor",
        "cores",
        "load",
        "isolation",
        "games",
        "first seat won",
        "drawn",
        "lost",
        "time forfeits",
    ];
    columns(&titles, &rows)
}

/// The name of a host: `unknown` in games older than that.
pub fn name(one: &OfHost) -> String {
    one.host.as_ref().map_or_else(|| UNKNOWN.to_owned(), |host| clean(&host.name))
}

/// The mean load of the host when its games were stored.
#[allow(clippy::cast_precision_loss)] // counts of games are far below 2^53
pub fn load(one: &OfHost) -> Option<f64> {
    let (sum, games) = one.load;
    (games > 0).then(|| sum as f64 / 100.0 / games as f64)
}

/// The test of the results by host, and that of the time forfeits.
pub fn tests(all: &[OfHost]) -> [Homogeneity; 2] {
    let results: Vec<Vec<u64>> = all.iter().map(|one| one.results.to_vec()).collect();
    let forfeits: Vec<Vec<u64>> =
        all.iter().map(|one| vec![one.time_forfeits, one.games() - one.time_forfeits]).collect();
    [homogeneity::test(&results), homogeneity::test(&forfeits)]
}

/// Both tests in one sentence; `None` with fewer than two hosts.
pub fn sentence(all: &[OfHost]) -> Option<String> {
    if all.len() < 2 {
        return None;
    }
    let [results, forfeits] = tests(all);
    let worst = || {
        let share = |one: &&OfHost| one.time_forfeits * 1_000_000 / one.games().max(1);
        let most = all.iter().max_by_key(share);
        most.map(|one| format!(", most on {}", name(one))).unwrap_or_default()
    };
    let of_results = told(results, "results differ by host", "results do not differ by host", "", "");
    let of_forfeits = told(
        forfeits,
        "time forfeits differ by host",
        "time forfeits do not differ by host",
        &worst(),
        if all.iter().all(|one| one.time_forfeits == 0) { "there are no time forfeits" } else { "" },
    );
    Some(format!("{} hosts: {of_results}; {of_forfeits}", all.len()))
}

fn told(test: Homogeneity, differ: &str, agree: &str, most: &str, nothing: &str) -> String {
    match test {
        Homogeneity::NothingToCompare if nothing.is_empty() => format!("{agree}: all are alike"),
        Homogeneity::NothingToCompare => nothing.to_owned(),
        Homogeneity::TooFew => format!("too few games to say whether {differ}"),
        Homogeneity::Tested(test) => {
            let p = if test.p < 1e-4 { "p < 0.0001".to_owned() } else { format!("p {:.4}", test.p) };
            let degrees = if test.freedom == 1 { "degree" } else { "degrees" };
            let numbers =
                format!("(chi-square {:.1}, {} {degrees} of freedom, {p})", test.statistic, test.freedom);
            match test.p < RARE {
                true => format!("{differ}{most} {numbers}"),
                false => format!("{agree} beyond chance {numbers}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_record::Host;

    fn host(name: &str, results: [u64; 3], time_forfeits: u64) -> OfHost {
        let host = Host { name: name.to_owned(), cpu: "Xeon".to_owned(), cores: 8 };
        OfHost { host: Some(host), results, time_forfeits, ..OfHost::default() }
    }

    #[test]
    fn a_slow_host_is_named_and_chance_is_not() {
        let all = [host("fast", [100, 20, 80], 0), host("slow", [98, 22, 80], 30)];
        assert_eq!(
            sentence(&all).unwrap(),
            "2 hosts: results do not differ by host beyond chance (chi-square 0.1, 2 degrees of freedom, \
             p 0.9439); time forfeits differ by host, most on slow (chi-square 32.4, 1 degree of freedom, \
             p < 0.0001)"
        );
        assert_eq!(sentence(&all[..1]), None);
        let few = [host("a", [2, 0, 1], 0), host("b", [1, 0, 2], 0)];
        let said = sentence(&few).unwrap();
        assert_eq!(
            said,
            "2 hosts: too few games to say whether results differ by host; there are no time forfeits"
        );
    }
}

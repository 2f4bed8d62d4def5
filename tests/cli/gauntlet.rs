//! A gauntlet, in which some play more games than others: all its tables have the same order.

use super::home::Home;

fn column(home: &Home, file: &str, name: &str) -> Vec<String> {
    let text = home.read(file);
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let at = rows.headers().unwrap().iter().position(|head| head == name).unwrap();
    rows.records().map(|row| row.unwrap()[at].to_owned()).collect()
}

#[test]
fn the_tables_of_a_gauntlet_agree() {
    let home = Home::with_two();
    for name in ["more", "other", "third"] {
        home.engine(format!("engines/{name}"), "agon-random");
    }
    home.engine("engines/far", "agon-lookahead");
    for (leaders, seed) in [(1, 1), (1, 2), (2, 3)] {
        let out = format!("out-{leaders}-{seed}");
        home.put(
            "tournament.toml",
            format!(
                "engines = \"engines\"\nformat = \"gauntlet\"\nleaders = {leaders}\ngames = 2\nseed = {seed}\n\
                 seeds = [\"random\", \"greedy\"]\ngame = \"letters:3x3x2\"\nst = 5\nout = \"{out}\"\n"
            ),
        );
        let said = home.agon(["tournament", "tournament.toml", "--quiet"]);
        assert_eq!(said.code, Some(0), "{}", said.all());
        let standings = column(&home, &format!("{out}/standings.csv"), "engine");
        assert_eq!(column(&home, &format!("{out}/places.csv"), "engine"), standings);
        assert_eq!(column(&home, &format!("{out}/stages.csv"), "engine"), standings);
        let bracket = home.read(&format!("{out}/bracket.txt"));
        let mut order: Vec<&String> = standings.iter().collect();
        order.sort_by_key(|name| {
            bracket.find(&format!(" {name} ")).unwrap_or_else(|| panic!("{name}\n{bracket}"))
        });
        assert_eq!(order, standings.iter().collect::<Vec<_>>(), "{bracket}");
    }
}

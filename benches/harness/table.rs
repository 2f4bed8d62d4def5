//! Figures in columns, and the middle one of several.

/// A table that is printed as a whole.
pub(crate) struct BenchTable {
    title: String,
    rows: Vec<Vec<String>>,
}

impl BenchTable {
    pub(crate) fn new(title: &str, head: &[&str]) -> Self {
        BenchTable {
            title: title.to_owned(),
            rows: vec![head.iter().map(|cell| (*cell).to_owned()).collect()],
        }
    }

    pub(crate) fn row(&mut self, cells: &[String]) {
        self.rows.push(cells.to_vec());
    }

    pub(crate) fn print(&self) {
        println!("\n{}", self.title);
        let width = |column: usize| self.rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        for row in &self.rows {
            let cells: Vec<String> = row
                .iter()
                .enumerate()
                .map(|(at, cell)| {
                    let width = width(at);
                    if at == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                })
                .collect();
            println!("  {}", cells.join("  "));
        }
    }
}

/// The middle one.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

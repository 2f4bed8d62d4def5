//! The boards: their points, the lines between them, and the mills.

/// The most points of a board.
const MOST: usize = 24;

/// A board and its number of men. Points are numbered row by row; a set of points is a `u32`, one
/// bit per point.
#[derive(PartialEq, Eq, Debug)]
pub struct MorrisLayout {
    /// The number of points.
    pub points: u8,
    /// The number of men per side.
    pub men: u8,
    /// The number of points in each row.
    pub rows: &'static [u8],
    /// The lines of the drawing, with a `+` for each point.
    pub figure: &'static [&'static str],
    mills: &'static [[u8; 3]],
    joined: [u32; MOST],
    through: [[u32; 2]; MOST],
}

/// Six men a side on two squares, joined at the middles of the sides; the joins are moves and not
/// mills.
///
/// ```text
/// 0-----1-----2
/// |  3--4--5  |
/// 6--7     8--9
/// |  10-11-12 |
/// 13----14---15
/// ```
pub static SIX: MorrisLayout = MorrisLayout::new(
    6,
    &[3, 3, 4, 3, 3],
    &["+-----+-----+", "|  +--+--+  |", "+--+     +--+", "|  +--+--+  |", "+-----+-----+"],
    &[[0, 1, 2], [3, 4, 5], [10, 11, 12], [13, 14, 15], [0, 6, 13], [3, 7, 10], [5, 8, 12], [2, 9, 15]],
    &[[1, 4], [6, 7], [8, 9], [11, 14]],
);

/// Nine men a side on three squares, joined at the middles of the sides; here the joins make mills
/// too.
///
/// ```text
/// 0---------1---------2
/// |  3------4------5  |
/// |  |  6---7---8  |  |
/// 9--10-11     12-13-14
/// |  |  15-16--17  |  |
/// |  18-----19----20  |
/// 21-------22--------23
/// ```
pub static NINE: MorrisLayout = MorrisLayout::new(
    9,
    &[3, 3, 3, 6, 3, 3, 3],
    &[
        "+--------+--------+",
        "|  +-----+-----+  |",
        "|  |  +--+--+  |  |",
        "+--+--+     +--+--+",
        "|  |  +--+--+  |  |",
        "|  +-----+-----+  |",
        "+--------+--------+",
    ],
    &[
        [0, 1, 2],
        [3, 4, 5],
        [6, 7, 8],
        [9, 10, 11],
        [12, 13, 14],
        [15, 16, 17],
        [18, 19, 20],
        [21, 22, 23],
        [0, 9, 21],
        [3, 10, 18],
        [6, 11, 15],
        [1, 4, 7],
        [16, 19, 22],
        [8, 12, 17],
        [5, 13, 20],
        [2, 14, 23],
    ],
    &[],
);

impl MorrisLayout {
    /// Joins the neighbours within each mill, and the extra pairs.
    const fn new(
        men: u8,
        rows: &'static [u8],
        figure: &'static [&'static str],
        mills: &'static [[u8; 3]],
        pairs: &[[u8; 2]],
    ) -> MorrisLayout {
        let mut points = 0;
        let mut row = 0;
        while row < rows.len() {
            points += rows[row];
            row += 1;
        }
        // A point with a single mill gets a second set that no men can fill.
        let mut through = [[u32::MAX; 2]; MOST];
        let mut joined = [0; MOST];
        let mut i = 0;
        while i < mills.len() {
            let [a, b, c] = mills[i];
            let mill = 1 << a | 1 << b | 1 << c;
            joined[a as usize] |= 1 << b;
            joined[b as usize] |= 1 << a | 1 << c;
            joined[c as usize] |= 1 << b;
            let mut j = 0;
            while j < 3 {
                let mine = &mut through[mills[i][j] as usize];
                mine[if mine[0] == u32::MAX { 0 } else { 1 }] = mill;
                j += 1;
            }
            i += 1;
        }
        let mut i = 0;
        while i < pairs.len() {
            let [a, b] = pairs[i];
            joined[a as usize] |= 1 << b;
            joined[b as usize] |= 1 << a;
            i += 1;
        }
        MorrisLayout { points, men, rows, figure, mills, joined, through }
    }

    /// Every point.
    pub fn all(&self) -> u32 {
        (1 << self.points) - 1
    }

    /// The points to which a man on this one can slide.
    pub fn joined(&self, point: u8) -> u32 {
        self.joined[usize::from(point)]
    }

    /// The mills, each as the set of its points.
    pub fn mills(&self) -> impl Iterator<Item = u32> {
        self.mills.iter().map(|mill| mill.iter().map(|point| 1 << point).sum())
    }

    /// Whether these men fill a mill that contains this point.
    pub fn in_mill(&self, men: u32, point: u8) -> bool {
        self.through[usize::from(point)].iter().any(|mill| men & mill == *mill)
    }

    /// Those of these men that are in mills.
    pub fn mills_of(&self, men: u32) -> u32 {
        self.mills().filter(|mill| men & mill == *mill).fold(0, |all, mill| all | mill)
    }
}

/// The points of a set, lowest first.
pub fn points(set: u32) -> impl Iterator<Item = u8> {
    let mut left = set;
    std::iter::from_fn(move || {
        let lowest = u8::try_from(left.trailing_zeros()).expect("a u32 has 32 bits");
        left &= left.wrapping_sub(1);
        (lowest < 32).then_some(lowest)
    })
}

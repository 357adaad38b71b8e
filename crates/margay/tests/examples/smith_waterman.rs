//! `examples/smith_waterman`: against the recurrence of Gotoh (1982), cell by cell.

use crate::{Example, files};

const OPEN: i32 = 12;
const EXTEND: i32 = 1;

/// How alike two residues are, by the table in the kernel: rows of 24 numbers, each with its residue behind.
fn table(kernel: &str) -> impl Fn(u8, u8) -> i32 {
    let rows = kernel.lines().skip_while(|line| !line.contains("blosum62[576]")).skip(1).take(24);
    let (mut names, mut scores) = (Vec::new(), Vec::new());
    for row in rows {
        let (numbers, name) = row.split_once("//").unwrap();
        names.push(name.trim().as_bytes()[0]);
        let numbers = numbers.split(',').map(str::trim).filter(|number| !number.is_empty());
        scores.push(numbers.map(|number| number.parse::<i32>().unwrap()).collect::<Vec<_>>());
    }
    move |x, y| {
        let place = |residue| names.iter().position(|&name| name == residue).unwrap();
        scores[place(x)][place(y)]
    }
}

/// The best score that ends in a cell: with whatever comes last, with a gap in `a`, with a gap in `b`.
#[derive(Clone, Copy)]
struct Cell {
    h: i32,
    e: i32,
    f: i32,
}

const BORDER: Cell = Cell { h: 0, e: -1_000_000, f: -1_000_000 };

/// What the kernel reports: score and places, and the three lines of letters.
struct Alignment {
    report: Vec<i32>,
    lines: [String; 3],
    cells: Vec<Vec<Cell>>,
}

fn align(a: &[u8], b: &[u8], alike: impl Fn(u8, u8) -> i32) -> Alignment {
    let mut cells = vec![vec![BORDER; b.len() + 1]; a.len() + 1];
    let (mut best, mut end) = (0, (0, 0));
    for (i, j) in (1..=a.len()).flat_map(|i| (1..=b.len()).map(move |j| (i, j))) {
        let (left, above) = (cells[i][j - 1], cells[i - 1][j]);
        let e = (left.e - EXTEND).max(left.h - OPEN);
        let f = (above.f - EXTEND).max(above.h - OPEN);
        let h = (cells[i - 1][j - 1].h + alike(a[i - 1], b[j - 1])).max(e).max(f).max(0);
        cells[i][j] = Cell { h, e, f };
        if h > best {
            (best, end) = (h, (i, j));
        }
    }

    let (mut i, mut j) = end;
    let mut columns = Vec::new();
    while cells[i][j].h > 0 {
        let cell = cells[i][j];
        if cell.h == cells[i - 1][j - 1].h + alike(a[i - 1], b[j - 1]) {
            let (x, y) = (a[i - 1], b[j - 1]);
            let mark = if x == y {
                b'|'
            } else if alike(x, y) > 0 {
                b':'
            } else {
                b' '
            };
            columns.push([x, mark, y]);
            (i, j) = (i - 1, j - 1);
        } else if cell.h == cell.e {
            let mut longer = true;
            while longer {
                columns.push([b'-', b' ', b[j - 1]]);
                longer = cells[i][j].e != cells[i][j - 1].h - OPEN;
                j -= 1;
            }
        } else {
            let mut longer = true;
            while longer {
                columns.push([a[i - 1], b' ', b'-']);
                longer = cells[i][j].f != cells[i - 1][j].h - OPEN;
                i -= 1;
            }
        }
    }
    columns.reverse();
    let line = |row: usize| columns.iter().map(|column| char::from(column[row])).collect();
    let report = [best as usize, i + 1, end.0, j + 1, end.1].map(|number| number as i32).to_vec();
    Alignment { report, lines: [line(0), line(1), line(2)], cells }
}

#[test]
fn alignment_is_that_of_the_recurrence() {
    let example = Example::copy("smith_waterman", "alignment");
    example.run(&[]);
    let sequence = |file| example.text(file).trim().as_bytes().to_vec();
    let (a, b) = (sequence("hba.txt"), sequence("hbb.txt"));
    assert_eq!((a.len(), b.len()), (142, 147));
    let expected = align(&a, &b, table(&example.text("smith_waterman.ptx")));

    let report = files::npy32(&example.path("score.npy"), "<i4", "5");
    assert_eq!(report, expected.report);
    assert_eq!(report[0], 285, "what BLAST and Biopython score");

    let text = example.text("alignment.txt");
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 12);
    for (row, line) in expected.lines.iter().enumerate() {
        let shown: String = rows.iter().skip(row).step_by(4).copied().collect();
        assert_eq!(shown.trim_end(), line.trim_end());
    }

    // The picture: four by four pixels a cell, white on the path.
    let (width, picture) = files::png(&example.path("matrix.png"));
    assert_eq!((width, picture.len()), (592, 592 * 568));
    let mut path = 0;
    for (i, j) in (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| (i, j))) {
        let h = expected.cells[i + 1][j + 1].h;
        let grey = (h.min(40) * 2 + h / 4).min(200) as u8;
        let pixels = (0..16).map(|pixel| picture[(4 * i + pixel / 4) * width + 4 * j + pixel % 4]);
        let white = pixels.clone().all(|pixel| pixel == 255);
        assert!(white || pixels.clone().all(|pixel| pixel == grey), "cell {i}, {j}");
        path += usize::from(white);
    }
    assert_eq!(path, expected.lines[0].len());
    assert!(files::png(&example.path("expected.png")) == (width, picture), "the page shows another picture");
}

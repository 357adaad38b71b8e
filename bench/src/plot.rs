//! Throughput against size, a panel a kernel, as SVG.

use crate::sweep::{Curve, Point, WHO};
use plotters::prelude::*;
use std::path::Path;

/// Okabe and Ito's colours, which most people tell apart.
const COLOURS: [RGBColor; 4] =
    [RGBColor(0, 0, 0), RGBColor(153, 153, 153), RGBColor(0, 114, 178), RGBColor(213, 94, 0)];

const PANEL: (u32, u32) = (440, 320);
const COLUMNS: usize = 2;

/// Threads a second, in millions.
fn speed(point: &Point, who: usize) -> (f64, f64) {
    (point.size as f64, point.size as f64 / point.seconds[who] / 1e6)
}

/// Writes the plot.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: &Path, curves: &[Curve]) -> Result<(), Box<dyn std::error::Error>> {
    let rows = curves.len().div_ceil(COLUMNS);
    let size = (PANEL.0 * COLUMNS as u32, PANEL.1 * rows as u32);
    let root = SVGBackend::new(path, size).into_drawing_area();
    root.fill(&WHITE)?;
    for (panel, (area, curve)) in root.split_evenly((rows, COLUMNS)).iter().zip(curves).enumerate() {
        let points = || curve.points.iter().flat_map(|p| (0..WHO.len()).map(|who| speed(p, who)));
        let around = |values: &mut dyn Iterator<Item = f64>| {
            let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
            low / 1.5..high * 1.5
        };
        let (across, up) = (around(&mut points().map(|p| p.0)), around(&mut points().map(|p| p.1)));
        let mut chart = ChartBuilder::on(area)
            .caption(&curve.name, ("sans-serif", 16))
            .margin(10)
            .x_label_area_size(32)
            .y_label_area_size(58)
            .build_cartesian_2d(across.log_scale(), up.log_scale())?;
        chart
            .configure_mesh()
            .x_desc(if ["K5", "K7"].iter().any(|k| curve.name.starts_with(k)) { "words" } else { "threads" })
            .y_desc("millions a second")
            .x_label_formatter(&|x| format!("{x:e}"))
            .y_label_formatter(&|y| if *y < 1.0 { format!("{y}") } else { format!("{y:.0}") })
            .light_line_style(WHITE)
            .draw()?;
        for (who, colour) in COLOURS.iter().enumerate() {
            let line = curve.points.iter().map(|p| speed(p, who));
            chart
                .draw_series(LineSeries::new(line, colour.stroke_width(2)).point_size(2))?
                .label(WHO[who])
                .legend(|(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
        }
        // One legend is enough; elsewhere it would cover curves.
        if panel == 0 {
            chart.configure_series_labels().position(SeriesLabelPosition::LowerRight).draw()?;
        }
    }
    root.present()?;
    Ok(())
}

//! Makes the files that the examples read: `cargo run -p margay --example scenes -- examples`.

mod digits;
mod grain;
mod motion;
mod network;
mod noise;
mod relief;

use std::{fs::File, io::BufWriter, path::Path};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("the folder of the examples is missing")?;
    let folder = Path::new(&folder);
    for (frame, name) in ["motion/before.png", "motion/after.png"].iter().enumerate() {
        save(&folder.join(name), motion::WIDTH, &motion::frame(frame as u8))?;
    }
    let blocks = (0..motion::BLOCKS_Y).flat_map(|y| (0..motion::BLOCKS_X).map(move |x| motion::truth(x, y)));
    println!("{} of {} blocks move in one known way", blocks.clone().flatten().count(), blocks.count());
    save(&folder.join("half/grainy.png"), grain::WIDTH, &grain::grainy())?;
    save(&folder.join("int8/heights.png"), relief::WIDTH, &relief::heights())?;
    let network = network::trained();
    save(&folder.join("digits/page.png"), digits::WIDTH, &digits::page())?;
    save(&folder.join("digits/glyphs.png"), digits::SIDE, &digits::glyphs())?;
    save(&folder.join("digits/hidden.png"), 8 * digits::SIDE, &network.picture())?;
    std::fs::write(folder.join("digits/weights.raw"), network.tail())?;
    println!("{} of {} digits are read right", network.right(), digits::truth().len());
    Ok(())
}

/// Writes rows of `width` bytes as an 8-bit grey PNG.
fn save(path: &Path, width: usize, pixels: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
    let file = BufWriter::new(File::create(path)?);
    let mut encoder = png::Encoder::new(file, width as u32, (pixels.len() / width) as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(())
}

//! A network of two layers that learns to read written digits, and its weights as bytes.

use crate::{digits, noise::lattice};

/// Units of the hidden layer.
pub const UNITS: usize = 64;
/// Outputs, one a digit.
pub const CLASSES: usize = 10;
const INPUTS: usize = digits::SIDE * digits::SIDE;
/// Written digits that it learns from.
const LESSONS: usize = 12_000;
/// What inputs are about on the average: white paper.
const PAPER: f32 = 0.75;

/// Weights and biases, as numbers that learning moves by small steps.
struct Learned {
    hidden: Vec<[f32; INPUTS]>,
    hidden_bias: [f32; UNITS],
    output: Vec<[f32; UNITS]>,
    output_bias: [f32; CLASSES],
}

/// The network in integers: inputs, hidden units and weights of 8 bits, sums of 32.
pub struct Network {
    /// Weights of each unit, pixel by pixel.
    pub hidden: Vec<Vec<i8>>,
    /// What each unit's sum starts from.
    pub hidden_bias: Vec<i32>,
    /// Weights of each output, unit by unit.
    pub output: Vec<Vec<i8>>,
    /// What each output's sum starts from.
    pub output_bias: Vec<i32>,
    /// Hidden sums are divided by two to this power.
    pub shift: u32,
}

impl Learned {
    fn new() -> Learned {
        let chance = |x: usize, y: usize, seed: u32, size: f32| {
            (lattice(x as i64, y as i64, seed) as f32 * 2.0 - 1.0) * size
        };
        Learned {
            hidden: (0..UNITS).map(|unit| std::array::from_fn(|at| chance(at, unit, 5, 0.05))).collect(),
            hidden_bias: [0.1; UNITS],
            output: (0..CLASSES)
                .map(|class| std::array::from_fn(|unit| chance(unit, class, 6, 0.2)))
                .collect(),
            output_bias: [0.0; CLASSES],
        }
    }

    fn units(&self, inputs: &[f32]) -> [f32; UNITS] {
        std::array::from_fn(|unit| (self.hidden_bias[unit] + dot(&self.hidden[unit], inputs)).max(0.0))
    }

    /// One step down the slope of the margin by which the right class is to be ahead of every other.
    fn learn(&mut self, inputs: &[f32], right: usize, rate: f32) {
        let units = self.units(inputs);
        let scores: [f32; CLASSES] =
            std::array::from_fn(|class| self.output_bias[class] + dot(&self.output[class], &units));
        let mut slope = [0.0; CLASSES];
        for class in (0..CLASSES).filter(|class| *class != right) {
            let short = (1.0 + scores[class] - scores[right]).max(0.0);
            slope[class] += short;
            slope[right] -= short;
        }
        if slope[right] == 0.0 {
            return;
        }
        let mut back = [0.0; UNITS];
        for (class, slope) in slope.iter().enumerate() {
            for unit in 0..UNITS {
                back[unit] += slope * self.output[class][unit];
                self.output[class][unit] -= rate * slope * units[unit];
            }
            self.output_bias[class] -= rate * slope;
        }
        for unit in (0..UNITS).filter(|unit| units[*unit] > 0.0) {
            let step = rate * back[unit];
            self.hidden_bias[unit] -= step;
            self.hidden[unit].iter_mut().zip(inputs).for_each(|(weight, input)| *weight -= step * input);
        }
    }

    /// The same in integers: the greatest weight of a layer becomes 127, and hidden sums of `lessons` fit a byte.
    fn in_bytes(&self, lessons: &[(Vec<f32>, usize)]) -> Network {
        let greatest = |weights: &mut dyn Iterator<Item = &f32>| {
            weights.fold(0.0f32, |most, weight| most.max(weight.abs()))
        };
        let byte = |weight: f32, scale: f32| (weight * scale).round() as i8;
        let scale = 127.0 / greatest(&mut self.hidden.iter().flatten());
        // A pixel is 255 times its input and what paper takes away from that.
        let bias = |unit: usize| self.hidden_bias[unit] - PAPER * self.hidden[unit].iter().sum::<f32>();
        let most =
            lessons.iter().flat_map(|lesson| self.units(&lesson.0)).fold(0.0, f32::max) * scale * 255.0;
        let shift = (0..24).find(|shift| most < 256.0 * (1u32 << shift) as f32).unwrap();
        let after = 127.0 / greatest(&mut self.output.iter().flatten());
        let unit = scale * 255.0 / (1u32 << shift) as f32;
        Network {
            hidden: self
                .hidden
                .iter()
                .map(|weights| weights.iter().map(|weight| byte(*weight, scale)).collect())
                .collect(),
            hidden_bias: (0..UNITS).map(|unit| (bias(unit) * scale * 255.0).round() as i32).collect(),
            output: self
                .output
                .iter()
                .map(|weights| weights.iter().map(|weight| byte(*weight, after)).collect())
                .collect(),
            output_bias: self.output_bias.iter().map(|bias| (bias * after * unit).round() as i32).collect(),
            shift,
        }
    }
}

/// A sum of products in four parts, so that no step waits for the one before it.
fn dot(weights: &[f32], inputs: &[f32]) -> f32 {
    let mut parts = [0.0; 4];
    for (weights, inputs) in weights.chunks_exact(4).zip(inputs.chunks_exact(4)) {
        (0..4).for_each(|part| parts[part] += weights[part] * inputs[part]);
    }
    (parts[0] + parts[1]) + (parts[2] + parts[3])
}

/// The network after all its lessons, of many hands, none of which wrote the page.
pub fn trained() -> Network {
    let lesson = |which: usize| {
        let digit = which % CLASSES;
        let pixels = digits::written(digit, which, 1000 + 17 * (which / 100) as u32);
        (pixels.iter().map(|pixel| f32::from(*pixel) / 255.0 - PAPER).collect(), digit)
    };
    let lessons: Vec<(Vec<f32>, usize)> = (0..LESSONS).map(lesson).collect();
    let mut learned = Learned::new();
    for round in 0..6 {
        let rate = 0.012 / (1 + round) as f32;
        lessons.iter().for_each(|(inputs, right)| learned.learn(inputs, *right, rate));
    }
    learned.in_bytes(&lessons[..500])
}

impl Network {
    /// The weights of the hidden units as a picture of 8 by 8 squares; 128 is zero.
    pub fn picture(&self) -> Vec<u8> {
        let square = |weights: &Vec<i8>| weights.iter().map(|weight| *weight as u8 ^ 128).collect();
        digits::sheet(&self.hidden.iter().map(square).collect::<Vec<_>>(), 8)
    }

    /// Everything else, as the kernel reads it: 16 outputs' weights, then biases and the shift in words.
    pub fn tail(&self) -> Vec<u8> {
        let mut weights: Vec<u8> = self.output.iter().flatten().map(|weight| *weight as u8).collect();
        weights.resize(16 * UNITS, 0);
        let mut words = self.hidden_bias.clone();
        words.extend(&self.output_bias);
        words.resize(UNITS + 16, 0);
        words.push(self.shift as i32);
        // To whole lines of 16 bytes, as the struct in the kernel has it.
        words.resize(UNITS + 16 + 4, 0);
        weights.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        weights
    }

    /// What the ten outputs make of a digit.
    pub fn scores(&self, pixels: &[u8]) -> Vec<i32> {
        let unit = |sum: i32| (sum.max(0) >> self.shift).min(255) as u8;
        let units: Vec<u8> = layer(&self.hidden, &self.hidden_bias, pixels).map(unit).collect();
        layer(&self.output, &self.output_bias, &units).collect()
    }

    /// Which digit it takes the square for: that of the greatest score, the lower one of two that are equal.
    pub fn read(&self, pixels: &[u8]) -> usize {
        let scores = self.scores(pixels);
        (0..CLASSES).rev().max_by_key(|class| scores[*class]).unwrap()
    }

    /// How many digits of the page it reads right.
    pub fn right(&self) -> usize {
        let truth = digits::truth();
        let read = digits::squares().into_iter().map(|square| self.read(&square));
        truth.into_iter().zip(read).filter(|(digit, read)| digit == read).count()
    }
}

/// The exact sums of a layer.
fn layer<'a>(weights: &'a [Vec<i8>], biases: &'a [i32], inputs: &'a [u8]) -> impl Iterator<Item = i32> + 'a {
    let product = |(weight, input): (&i8, &u8)| i32::from(*weight) * i32::from(*input);
    weights.iter().zip(biases).map(move |(row, bias)| bias + row.iter().zip(inputs).map(product).sum::<i32>())
}

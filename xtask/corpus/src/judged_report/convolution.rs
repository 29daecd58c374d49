//! `conv2d_mm.comp` and `conv3d_mm.comp`: convolutions as products of the kernel with pixels gathered around each output.

use std::fmt::Write as _;

use super::judge::Request;
use crate::simulate_report::{NO_MATRICES, ownerships};

/// The tile that ggml-vulkan takes for small images (`CONV_SHAPE_64x32`): outputs, pixels and taps.
const TILE: [usize; 3] = [64, 32, 32];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plane,
    Transposed,
    Space,
}

#[derive(Clone, Debug)]
pub struct Convolution {
    kind: Kind,
    /// The type of the kernel.
    pub type_: &'static str,
    /// Whether it has cooperative matrices, and whether they are the workgroup's.
    pub matrices: bool,
    workgroup: bool,
    /// Width, height and depth.
    image: [usize; 3],
    kernel: [usize; 3],
    inputs: usize,
    outputs: usize,
    images: usize,
    stride: usize,
    padding: usize,
    dilation: usize,
}

impl Convolution {
    /// By the name of the variant; the fitting one fills tiles.
    pub fn of(variant: &str, fitting: bool) -> Convolution {
        let kind = if variant.starts_with("conv3d") {
            Kind::Space
        } else if variant.starts_with("conv_transpose") {
            Kind::Transposed
        } else {
            Kind::Plane
        };
        let type_ = if variant.contains("_f16_f32") { "f16" } else { "f32" };
        let mut convolution = Convolution {
            kind,
            type_,
            matrices: super::cases::has_matrices(variant),
            workgroup: variant.ends_with("_cm2"),
            image: [8, 8, 1],
            kernel: [3, 3, 1],
            inputs: 32,
            outputs: 64,
            images: 1,
            stride: 1,
            padding: 1,
            dilation: 1,
        };
        match (kind, fitting) {
            (Kind::Plane, true) => {}
            (Kind::Plane, false) => {
                convolution = Convolution {
                    image: [13, 9, 1],
                    inputs: 5,
                    outputs: 40,
                    images: 2,
                    stride: 2,
                    dilation: 2,
                    ..convolution
                };
            }
            // Images that are twice as large; ggml's operation has neither padding nor dilation.
            (Kind::Transposed, true) => {
                convolution =
                    Convolution { image: [4, 4, 1], kernel: [2, 2, 1], stride: 2, padding: 0, ..convolution };
            }
            (Kind::Transposed, false) => {
                convolution = Convolution {
                    image: [5, 3, 1],
                    inputs: 5,
                    outputs: 40,
                    stride: 2,
                    padding: 0,
                    ..convolution
                };
            }
            (Kind::Space, true) => {
                convolution = Convolution { image: [4, 4, 4], kernel: [3, 3, 3], ..convolution };
            }
            (Kind::Space, false) => {
                convolution = Convolution {
                    image: [7, 5, 6],
                    kernel: [3, 3, 2],
                    inputs: 5,
                    outputs: 40,
                    images: 2,
                    stride: 2,
                    ..convolution
                };
            }
        }
        convolution
    }

    pub fn sizes(&self) -> String {
        let shown = |lengths: [usize; 3]| {
            let last = if self.kind == Kind::Space { format!("x{}", lengths[2]) } else { String::new() };
            format!("{}x{}{last}", lengths[0], lengths[1])
        };
        format!("{} of {} by {} to {}", shown(self.image), self.inputs, shown(self.kernel), self.outputs)
    }

    pub fn request(&self) -> Request {
        let kind = match self.kind {
            Kind::Plane => "2d",
            Kind::Transposed => "transposed",
            Kind::Space => "3d",
        };
        let [width, height, depth] = self.image;
        let [columns, rows, layers] = self.kernel;
        Request::new("convolution", self.type_)
            .with("kind", kind)
            .with("kernel", self.type_)
            .with("width", width)
            .with("height", height)
            .with("depth", depth)
            .with("kernel_width", columns)
            .with("kernel_height", rows)
            .with("kernel_depth", layers)
            .with("inputs", self.inputs)
            .with("outputs", self.outputs)
            .with("images", self.images)
            .with("stride", self.stride)
            .with("padding", self.padding)
            .with("dilation", self.dilation)
            .with("seed", 1)
    }

    /// Lengths of a result, as ggml computes them.
    fn result(&self) -> [usize; 3] {
        let length = |axis: usize| match self.kind {
            Kind::Transposed => (self.image[axis] - 1) * self.stride + self.kernel[axis],
            _ => {
                let reach = self.dilation * (self.kernel[axis] - 1) + 1;
                (self.image[axis] + 2 * self.padding - reach) / self.stride + 1
            }
        };
        [length(0), length(1), if self.kind == Kind::Space { length(2) } else { 1 }]
    }

    fn pixels(&self) -> usize {
        self.images * self.result().iter().product::<usize>()
    }

    /// What each output is the sum of.
    pub fn taps(&self) -> usize {
        self.inputs * self.kernel.iter().product::<usize>()
    }

    pub fn output(&self) -> Vec<usize> {
        let [width, height, depth] = self.result();
        vec![self.images * self.outputs, depth, height, width]
    }

    fn constants(&self, subgroup: u32) -> Vec<u32> {
        let [rows, columns, depth] = TILE;
        let aligned = self.outputs.is_multiple_of(rows)
            && self.pixels().is_multiple_of(columns)
            && self.taps().is_multiple_of(depth);
        // Each subgroup computes one matrix of 16x16, or two of them.
        let of_subgroup = if subgroup == 64 { [32, 16] } else { [16, 16] };
        let threads = match self.workgroup || !self.matrices {
            true => 128,
            false => (rows / of_subgroup[0] * (columns / of_subgroup[1])) as u32 * subgroup,
        };
        let mut constants = vec![threads, rows as u32, depth as u32, columns as u32, 4];
        let [stride, padding, dilation] =
            [self.stride, self.padding, self.dilation].map(|value| value as u32);
        let [width, height, layers] = self.kernel.map(|value| value as u32);
        let pad = if self.matrices { 8 } else { 4 };
        if self.kind == Kind::Space {
            constants.extend([pad, stride, stride, stride, padding, padding, padding]);
            constants.extend([dilation, dilation, dilation, width, height, layers]);
        } else {
            constants.extend([0, pad, stride, stride, padding, padding, dilation, dilation, width, height]);
        }
        constants.extend([
            u32::from(aligned),
            u32::from(self.matrices),
            of_subgroup[0] as u32,
            of_subgroup[1] as u32,
        ]);
        constants
    }

    pub fn pipeline(&self, variant: &str, subgroup: u32, declared: &[u32]) -> String {
        let mut text = format!(
            "description = \"{variant} of llama.cpp: {}\"\nsubgroup-size = {subgroup}\ndispatch = [{}, {}]\n",
            self.sizes(),
            self.outputs.div_ceil(TILE[0]),
            self.pixels().div_ceil(TILE[1])
        );
        if self.matrices {
            text += "numerics = [\"sequential\", \"nvidia-hopper\", \"round-each-step\", \"exact\"]\n";
            text += &ownerships(subgroup);
        } else {
            text += NO_MATRICES;
        }
        text += "\n[specialization]\n";
        for (id, value) in self.constants(subgroup).iter().enumerate() {
            if declared.contains(&(id as u32)) {
                let _ = writeln!(text, "{id} = {value}");
            }
        }
        text += "\n[push-constants]\n";
        for (name, value) in self.push_constants() {
            let _ = writeln!(text, "{name} = {value}");
        }
        text
    }

    fn push_constants(&self) -> Vec<(String, usize)> {
        let [width, height, depth] = self.image;
        let [columns, rows, layers] = self.kernel;
        let [wide, high, deep] = self.result();
        let space = self.kind == Kind::Space;
        let mut all: Vec<(String, usize)> = Vec::new();
        let mut put = |name: &str, value: usize| all.push((name.to_owned(), value));
        if space {
            put("OC", self.outputs);
            put("IC", self.inputs);
            put("N", self.images);
            for (name, value) in
                [("IW", width), ("IH", height), ("ID", depth), ("OW", wide), ("OH", high), ("OD", deep)]
            {
                put(name, value);
            }
        } else {
            put("Cout", self.outputs);
            put("Cin", self.inputs);
            put("N", self.images);
            for (name, value) in [("W", width), ("H", height), ("OW", wide), ("OH", high)] {
                put(name, value);
            }
        }
        // Steps between rows, planes, and what comes after them.
        let third = match self.kind {
            Kind::Plane => self.inputs,
            Kind::Transposed => self.outputs,
            Kind::Space => layers,
        };
        let steps =
            |first: usize, second: usize, third: usize| [first, first * second, first * second * third];
        let taken = steps(columns, rows, third);
        let seen = steps(width, height, if space { depth } else { self.inputs });
        let made = steps(wide, high, if space { deep } else { self.outputs });
        for (prefix, steps) in [("nb0", taken), ("nb1", seen), ("nb", made)] {
            for (number, step) in steps.iter().enumerate() {
                put(&format!("{prefix}{}", number + 1), *step);
            }
        }
        let mut divisors = vec![("OW", wide), ("OWOH", wide * high)];
        if space {
            divisors.push(("OWOHOD", wide * high * deep));
        }
        for (name, divisor) in divisors {
            let (factor, shift) = fast_division(divisor as u64);
            put(&format!("{name}mp"), factor);
            put(&format!("{name}L"), shift);
        }
        for name in ["knl_offset", "src_offset", "dst_offset"] {
            put(name, 0);
        }
        all
    }
}

/// The factor and the shift that stand for a division by a constant (`init_fastdiv_values`).
pub fn fast_division(divisor: u64) -> (usize, usize) {
    let shift = (0..32).find(|shift| 1_u64 << shift >= divisor).unwrap_or(32);
    let factor = (1_u64 << 32) * ((1_u64 << shift) - divisor) / divisor + 1;
    (factor as usize, shift as usize)
}

//! Float controls: how results are rounded and whether subnormal numbers stay, as a module's execution modes say for each width
//! (SPV_KHR_float_controls). What a module leaves open, the settings decide.

use coopmat_spirv::spirv::ExecutionMode;

use crate::numerics::{Denormals, Format, Numerics, Rounding};

/// What the execution modes of an entry point say of one width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Control {
    rounding: Option<Rounding>,
    denormals: Option<Denormals>,
}

/// What they say of 16, 32 and 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Controls([Control; 3]);

/// How results of a format are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Treatment {
    pub rounding: Rounding,
    pub denormals: Denormals,
}

impl Treatment {
    /// To the nearest, with subnormal numbers: what processors do.
    #[inline]
    pub fn is_plain(self) -> bool {
        self.rounding == Rounding::NearestEven && self.denormals == Denormals::Preserve
    }

    /// Bits of the format as an operation takes them, and as it gives them.
    #[inline]
    pub fn flush(self, format: Format, bits: u64) -> u64 {
        match self.denormals {
            Denormals::Preserve => bits,
            Denormals::Flush => format.flush(bits),
        }
    }
}

impl Controls {
    /// Takes an execution mode in. SignedZeroInfNanPreserve asks for what is always so here.
    pub fn add(&mut self, mode: ExecutionMode, width: u32) {
        let control = match width {
            16 => &mut self.0[0],
            32 => &mut self.0[1],
            64 => &mut self.0[2],
            _ => return,
        };
        match mode {
            ExecutionMode::RoundingModeRTE => control.rounding = Some(Rounding::NearestEven),
            ExecutionMode::RoundingModeRTZ => control.rounding = Some(Rounding::TowardZero),
            ExecutionMode::DenormPreserve => control.denormals = Some(Denormals::Preserve),
            ExecutionMode::DenormFlushToZero => control.denormals = Some(Denormals::Flush),
            _ => {}
        }
    }

    /// How results of a format are made. The modes count for the IEEE formats alone: bfloat16 and 8-bit floats have widths, too, but
    /// are types of their own.
    #[inline]
    pub fn of(&self, format: Format, settings: &Numerics) -> Treatment {
        let said = match format {
            Format::F16 => self.0[0],
            Format::F32 => self.0[1],
            Format::F64 => self.0[2],
            _ => Control::default(),
        };
        Treatment {
            rounding: said.rounding.unwrap_or(settings.rounding),
            denormals: said.denormals.unwrap_or(settings.denormals),
        }
    }
}

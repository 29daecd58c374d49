//! Why a call is not carried out: in words for the report, and as the result that Vulkan has for it.

use ash::vk;

/// Whose matter it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The program does what Vulkan does not allow.
    Program,
    /// The driver does not have it.
    Driver,
    /// Nobody's: the reason has been reported, or is ordinary.
    Nobody,
}

#[derive(Clone, Debug)]
pub struct Fault {
    pub whose: Whose,
    pub result: vk::Result,
    pub message: String,
}

impl Fault {
    /// The program's mistake. Vulkan leaves open what happens then; this driver does nothing and answers VK_ERROR_UNKNOWN.
    pub fn misuse(message: impl Into<String>) -> Fault {
        Fault { whose: Whose::Program, result: vk::Result::ERROR_UNKNOWN, message: message.into() }
    }

    /// What the driver does not have.
    pub fn missing(message: impl Into<String>) -> Fault {
        Fault { whose: Whose::Driver, result: vk::Result::ERROR_FEATURE_NOT_PRESENT, message: message.into() }
    }

    /// An error of Vulkan that needs no report.
    pub fn plain(result: vk::Result) -> Fault {
        Fault { whose: Whose::Nobody, result, message: String::new() }
    }

    pub fn with(self, result: vk::Result) -> Fault {
        Fault { result, ..self }
    }
}

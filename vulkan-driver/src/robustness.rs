//! Whether an access of a buffer out of its bounds is allowed: by the device's feature robustBufferAccess, or by what the pipeline says instead
//! (VK_EXT_pipeline_robustness; Vulkan, "Pipeline Robustness").

/// What a descriptor's buffer is to the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferKind {
    Storage,
    Uniform,
}

/// `VkPipelineRobustnessBufferBehavior`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behaviour {
    /// As the device's features say.
    #[default]
    Device,
    Disabled,
    Enabled,
}

/// Of a pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Robustness {
    pub storage: Behaviour,
    pub uniform: Behaviour,
}

impl Behaviour {
    /// From Vulkan's number; one that is unknown is the strictest.
    pub fn new(number: i32) -> Behaviour {
        match number {
            0 => Behaviour::Device,
            // ROBUST_BUFFER_ACCESS, ROBUST_BUFFER_ACCESS_2
            2 | 3 => Behaviour::Enabled,
            _ => Behaviour::Disabled,
        }
    }
}

impl Robustness {
    /// The feature that allows an access out of bounds; `by_device`: whether robustBufferAccess is enabled.
    pub fn allows(&self, kind: BufferKind, by_device: bool) -> Option<&'static str> {
        let behaviour = match kind {
            BufferKind::Storage => self.storage,
            BufferKind::Uniform => self.uniform,
        };
        match behaviour {
            Behaviour::Device => by_device.then_some("robustBufferAccess"),
            Behaviour::Enabled => Some("pipelineRobustness"),
            Behaviour::Disabled => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipeline_overrules_the_device_for_each_kind_of_buffer() {
        let robustness = Robustness { storage: Behaviour::new(1), uniform: Behaviour::new(3) };
        assert_eq!(robustness.allows(BufferKind::Storage, true), None);
        assert_eq!(robustness.allows(BufferKind::Uniform, false), Some("pipelineRobustness"));
        let device = Robustness::default();
        assert_eq!(device.allows(BufferKind::Storage, true), Some("robustBufferAccess"));
        assert_eq!(device.allows(BufferKind::Storage, false), None);
    }
}

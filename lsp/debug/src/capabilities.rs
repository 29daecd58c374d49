//! What the adapter can do, as it tells the client. What is not here is refused.

/// The answer to `initialize`.
pub fn capabilities() -> dapts::Capabilities {
    dapts::Capabilities {
        supports_configuration_done_request: Some(true),
        supports_function_breakpoints: Some(true),
        supports_conditional_breakpoints: Some(true),
        supports_hit_conditional_breakpoints: Some(true),
        supports_log_points: Some(true),
        supports_data_breakpoints: Some(true),
        supports_instruction_breakpoints: Some(true),
        supports_disassemble_request: Some(true),
        supports_stepping_granularity: Some(true),
        supports_breakpoint_locations_request: Some(true),
        supports_evaluate_for_hovers: Some(true),
        supports_set_variable: Some(true),
        supports_set_expression: Some(true),
        supports_step_back: Some(true),
        supports_restart_request: Some(true),
        supports_terminate_request: Some(true),
        supports_exception_info_request: Some(true),
        supports_delayed_stack_trace_loading: Some(true),
        supports_loaded_sources_request: Some(true),
        exception_breakpoint_filters: Some(crate::findings::filters()),
        ..dapts::Capabilities::default()
    }
}

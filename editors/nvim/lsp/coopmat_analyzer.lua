---@brief
---
--- https://github.com/coopmat-analyzer/coopmat-analyzer
---
--- A language server for GLSL compute shaders with cooperative matrices. Install the program `coopmat-analyzer` and put it on `PATH`.
---
--- Macros, include folders and the target of a project's shaders stand in `coopmat-analyzer.toml`; settings are laid over it:
---
--- ```lua
--- vim.lsp.config('coopmat_analyzer', {
---   settings = {
---     ['coopmat-analyzer'] = { device = 'nvidia-h200', googleInclude = true },
---   },
--- })
--- ```

--- C++ and Rust files are looked at where their strings hold GLSL (`R"glsl(...)glsl"`, `/* glsl */ "..."`, `glsl! {}`, `shader! {}`), as they are when
--- they are opened; `:edit` looks again.

local markers = { 'coopmat-analyzer.toml', 'compile_commands.json', '.git' }

--- Whether a file of another language has a word that marks GLSL.
local function has_shaders(buffer)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    if line:find('glsl', 1, true) or line:find('GLSL', 1, true) or line:find('shader!', 1, true) then
      return true
    end
  end
  return false
end

--- Whether a buffer is a file of SPIR-V, as text or in words; the server's own listings have the same type.
local function is_assembly(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  return (name:find('%.spvasm$') or name:find('%.spv$')) ~= nil and name:find('^coopmat%-') == nil
end

---@type vim.lsp.Config
return {
  cmd = { 'coopmat-analyzer', 'lsp' },
  capabilities = { experimental = { ['coopmat-analyzer'] = { askBuildCommand = true, inView = true } } },
  before_init = function(...) require('coopmat_analyzer.in_view').restore(...) end,
  handlers = {
    ['coopmat-analyzer/inView'] = function(_, ...) require('coopmat_analyzer.in_view').told(...) end,
    ['window/showMessageRequest'] = function(...) return require('coopmat_analyzer.setup').message(...) end,
  },
  filetypes = { 'glsl', 'spirv', 'c', 'cpp', 'cuda', 'objc', 'objcpp', 'rust' },
  root_markers = markers,
  root_dir = function(buffer, start)
    if vim.bo[buffer].filetype == 'glsl' or is_assembly(buffer) or has_shaders(buffer) then
      -- Before 0.10 there is no such function; the plugin's fallback looks for the folder itself.
      start(vim.fs and vim.fs.root and vim.fs.root(buffer, markers))
    end
  end,
}

-- `:CoopmatCompare`: what the shader becomes in the configuration in view beside what it becomes in another one, in a tab of two windows.

local client_of = require('coopmat_analyzer.client')

local M = {}

local function window(side, what)
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].filetype = what == 'spirv' and 'spirv' or ''
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(vim.trim(side[what]), '\n'))
  vim.bo[buffer].modifiable = false
  vim.wo.winbar = (side.configuration:gsub('%%', '%%%%'))
  vim.cmd.diffthis()
end

--- `what`: `spirv` or `statistics`.
function M.compare(buffer, name, what)
  local client = client_of.of(buffer)
  if not client then
    return
  end
  local document = { uri = vim.uri_from_bufnr(buffer) }
  local function with(other)
    client_of.request(client, 'coopmat-analyzer/compare', { textDocument = document, with = other }, function(found)
      vim.cmd.tabnew()
      window(found.left, what)
      vim.cmd('rightbelow vnew')
      window(found.right, what)
    end)
  end
  if name then
    return with(name)
  end
  require('coopmat_analyzer.choose').pick(buffer, 'Compare with', with)
end

return M

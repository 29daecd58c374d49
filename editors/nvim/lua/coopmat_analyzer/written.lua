-- Tells the server of files that are written here and are none of its documents: project files, recipes. On Linux Neovim watches no files for servers.

local client_of = require('coopmat_analyzer.client')

local M = {}

local CHANGED = 2

--- What the server reads besides shaders: as it asks editors that watch files to (`WATCHED` in lsp/core/src/projects.rs).
local NAMES = { 'coopmat-analyzer.toml', '*.run.toml', 'compile_commands.json', 'glslc.log', 'vulkan-shaders-gen.log', '*.h', '*.inc' }

function M.follow()
  vim.api.nvim_create_autocmd({ 'BufWritePost', 'FileWritePost' }, {
    pattern = NAMES,
    callback = function(event)
      local change = { uri = vim.uri_from_fname(vim.fn.fnamemodify(event.match, ':p')), type = CHANGED }
      for _, client in ipairs(vim.lsp.get_clients({ name = client_of.NAME })) do
        if not client.attached_buffers[event.buf] then
          client:notify('workspace/didChangeWatchedFiles', { changes = { change } })
        end
      end
    end,
  })
end

return M

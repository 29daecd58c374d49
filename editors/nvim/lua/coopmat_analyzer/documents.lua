-- The server's own documents as buffers: pages of built-ins and diagnostics, and modules by their URI. A definition may lead to either.
-- And files of SPIR-V words (`.spv`), which are read as their text.

local client_of = require('coopmat_analyzer.client')

local M = {}

function M.read()
  vim.api.nvim_create_autocmd('BufReadCmd', {
    -- With the slash: a pattern without one is held against the last part of a name alone.
    pattern = { 'coopmat-analyzer:/*', 'coopmat-spirv:/*' },
    callback = function(event)
      local client = client_of.of(event.buf, true)
      if not client then
        return
      end
      local buffer, uri = event.buf, vim.api.nvim_buf_get_name(event.buf)
      vim.bo[buffer].buftype = 'nofile'
      vim.bo[buffer].swapfile = false
      vim.bo[buffer].filetype = vim.startswith(uri, 'coopmat-spirv:') and 'spirv' or uri:find('%.glsl$') and 'glsl' or 'markdown'
      local function fill()
        client_of.request(client, 'coopmat-analyzer/virtualDocument', { uri = uri }, function(text)
          if vim.api.nvim_buf_is_valid(buffer) then
            client_of.fill(buffer, vim.split(type(text) == 'string' and text or '', '\n'))
          end
        end)
      end
      fill()
      client_of.follow(uri, buffer, fill)
      -- In modules the server answers hovers, definitions and references as well; pages are only read.
      if vim.startswith(uri, 'coopmat-spirv:') then
        vim.lsp.buf_attach_client(buffer, client.id)
      end
      vim.api.nvim_create_autocmd('BufWipeout', {
        buffer = buffer,
        once = true,
        callback = function() client_of.unfollow(nil, uri, buffer) end,
      })
    end,
  })
end

--- The server's program.
local function program()
  local command = (vim.lsp.config.coopmat_analyzer or {}).cmd
  return type(command) == 'table' and command[1] or 'coopmat-analyzer'
end

--- Opens `.spv` files as assembly, in which the server answers as in a `.spvasm` file. They are only read: `:write NAME.spvasm` saves the text.
function M.modules()
  vim.api.nvim_create_autocmd('BufReadCmd', {
    pattern = '*.spv',
    callback = function(event)
      local buffer = event.buf
      local started, run = pcall(vim.system, { program(), 'spirv', '--color', 'never', '--', vim.fn.fnamemodify(event.file, ':p') }, { text = true })
      local answer = started and run:wait() or { code = 1, stderr = run }
      if answer.code ~= 0 then
        return client_of.warn(vim.trim(answer.stderr))
      end
      vim.bo[buffer].swapfile = false
      client_of.fill(buffer, vim.split(answer.stdout, '\n', { trimempty = true }))
      vim.bo[buffer].readonly = true
      vim.bo[buffer].filetype = 'spirv'
    end,
  })
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    pattern = '*.spv',
    callback = function()
      client_of.warn('a module is shown as its text, and only read: `:write NAME.spvasm` saves the text, and `coopmat-analyzer spirv NAME.spvasm -o NAME.spv` makes a module of it')
    end,
  })
end

return M

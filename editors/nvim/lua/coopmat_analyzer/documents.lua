-- The server's own documents as buffers: pages of built-ins and diagnostics, and modules by their URI. A definition may lead to either.

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

return M

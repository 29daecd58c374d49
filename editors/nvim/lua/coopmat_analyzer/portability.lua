-- `:CoopmatPortability`: on which devices the shader runs, and what stops it on the others; the stops go to the location list.

local client_of = require('coopmat_analyzer.client')

local M = {}

function M.show(buffer)
  local client = client_of.of(buffer)
  if not client then
    return
  end
  local parameters = { textDocument = { uri = vim.uri_from_bufnr(buffer) } }
  client_of.request(client, 'coopmat-analyzer/portability', parameters, function(answer)
    local items = {}
    for _, row in ipairs(answer.rows) do
      for _, stop in ipairs(row.stops) do
        table.insert(items, {
          filename = stop.path,
          lnum = stop.range.start.line + 1,
          col = stop.range.start.character + 1,
          text = row.device .. ': ' .. stop.message,
          type = 'W',
        })
      end
    end
    vim.fn.setloclist(0, {}, ' ', { title = 'What stops the shader', items = items })
    local name = 'Devices for ' .. vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':t')
    client_of.scratch(name, 'markdown', vim.split(answer.markdown, '\n'))
  end)
end

return M

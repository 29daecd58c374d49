-- The server of a buffer, requests to it, and its notifications about documents that changed.

local M = {}

M.NAME = 'coopmat_analyzer'

--- What is wrong, told to the user.
function M.warn(message)
  vim.notify('coopmat-analyzer: ' .. message, vim.log.levels.WARN)
end

--- The server of a buffer (0: the one in view); of any buffer, where this one has none and `any` is set.
function M.of(buffer, any)
  local client = vim.lsp.get_clients({ bufnr = buffer or 0, name = M.NAME })[1]
  if not client and any then
    client = vim.lsp.get_clients({ name = M.NAME })[1]
  end
  if not client then
    M.warn('no server is attached here; `:checkhealth coopmat_analyzer` says what is missing')
  end
  return client
end

--- Asks the server. `done` gets the answer; mistakes are told to the user, unless `failed` takes them.
function M.request(client, method, params, done, failed)
  client:request(method, params, function(problem, answer)
    if problem then
      return (failed or M.warn)(problem.message or tostring(problem))
    end
    done(answer)
  end)
end

local followers = {}

--- Calls `changed` when the document at `uri` is told to be another one; what was given before for this key is forgotten.
function M.follow(uri, key, changed)
  followers[uri] = followers[uri] or {}
  followers[uri][key] = changed
end

--- Ends it; the server is told when nobody follows the document any more.
function M.unfollow(client, uri, key)
  local here = followers[uri]
  if not here then
    return
  end
  here[key] = nil
  if next(here) == nil then
    followers[uri] = nil
    if client and not client:is_stopped() then
      client:notify('textDocument/didClose', { textDocument = { uri = uri } })
    end
  end
end

vim.lsp.handlers['coopmat-analyzer/virtualDocumentChanged'] = function(_, params)
  for _, changed in pairs(vim.tbl_extend('force', {}, followers[params.uri] or {})) do
    changed()
  end
end

--- A column of the protocol as one of Neovim, which counts bytes.
function M.byte_column(client, buffer, line, character)
  local text = vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1] or ''
  if client.offset_encoding == 'utf-8' then
    return math.min(character, #text)
  end
  return vim.str_byteindex(text, client.offset_encoding, character, false)
end

--- A scratch buffer in a window of its own; `name` is what is shown, and is taken again when it is there.
function M.scratch(name, filetype, lines)
  local buffer = vim.fn.bufnr('^' .. vim.fn.escape(name, '[]*?{},\\$^') .. '$')
  if buffer < 0 then
    buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buffer, name)
  end
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].filetype = filetype
  M.fill(buffer, lines)
  local window = vim.fn.bufwinid(buffer)
  if window < 0 then
    vim.cmd('botright split')
    window = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(window, buffer)
    vim.api.nvim_win_set_height(window, math.max(5, math.min(#lines + 1, math.floor(vim.o.lines / 2))))
  else
    vim.api.nvim_set_current_win(window)
  end
  vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = buffer, nowait = true })
  return buffer, window
end

--- The whole text of a buffer that nobody edits.
function M.fill(buffer, lines)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
end

return M

-- `:CoopmatSpirv inline`: the instructions of each line as virtual lines beneath it, following edits.

local client_of = require('coopmat_analyzer.client')

local M = {}

local unfolded = vim.api.nvim_create_namespace('coopmat-spirv-inline')

--- Buffers with unfolded lines: the document whose changes are followed, and the extmarks that say which lines are unfolded.
local buffers = {}

local function draw(buffer, answer, first, last)
  vim.api.nvim_buf_clear_namespace(buffer, unfolded, first, last)
  local group = type(answer.stale) == 'table' and 'CoopmatStale' or 'CoopmatInstruction'
  local count = vim.api.nvim_buf_line_count(buffer)
  for _, line in ipairs(answer.lines or {}) do
    if line.line >= first and (last < 0 or line.line < last) and line.line < count then
      local text = vim.api.nvim_buf_get_lines(buffer, line.line, line.line + 1, false)[1] or ''
      local indent = text:match('^%s*') .. '  '
      local virtual = vim.tbl_map(function(one) return { { indent .. one.text, group } } end, line.instructions)
      vim.api.nvim_buf_set_extmark(buffer, unfolded, line.line, 0, { virt_lines = virtual })
    end
  end
end

local function fetch(state)
  local parameters = { textDocument = { uri = vim.uri_from_bufnr(state.buffer) }, options = state.options }
  local changed = vim.api.nvim_buf_get_changedtick(state.buffer)
  client_of.request(state.client, 'coopmat-analyzer/spirvLines', parameters, function(answer)
    -- An edit in between: the next notification asks again.
    if not vim.api.nvim_buf_is_valid(state.buffer) or vim.api.nvim_buf_get_changedtick(state.buffer) ~= changed then
      return
    end
    if state.whole then
      return draw(state.buffer, answer, 0, -1)
    end
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(state.buffer, unfolded, 0, -1, {})) do
      draw(state.buffer, answer, mark[2], mark[2] + 1)
    end
  end)
end

function M.close(buffer)
  local state = buffers[buffer]
  buffers[buffer] = nil
  if state and state.uri then
    client_of.unfollow(state.client, state.uri, state)
  end
  if vim.api.nvim_buf_is_valid(buffer) then
    vim.api.nvim_buf_clear_namespace(buffer, unfolded, 0, -1)
  end
end

--- Unfolds lines `first` up to and without `last` (from 0; -1: the whole buffer), or folds them away again.
function M.toggle(buffer, first, last, options)
  local shown = vim.api.nvim_buf_get_extmarks(buffer, unfolded, { first, 0 }, last < 0 and -1 or { last - 1, -1 }, {})
  local whole = last < 0
  if #shown > 0 and buffers[buffer] then
    if whole then
      return M.close(buffer)
    end
    vim.api.nvim_buf_clear_namespace(buffer, unfolded, first, last)
    if #vim.api.nvim_buf_get_extmarks(buffer, unfolded, 0, -1, {}) == 0 then
      M.close(buffer)
    end
    return
  end
  local client = client_of.of(buffer)
  if not client then
    return
  end
  local state = buffers[buffer]
  if not state then
    state = { buffer = buffer, client = client }
    buffers[buffer] = state
    vim.api.nvim_create_autocmd('BufWipeout', { buffer = buffer, once = true, callback = function() M.close(buffer) end })
  end
  state.options, state.whole = options, state.whole or whole
  local uri = vim.uri_from_bufnr(buffer)
  local parameters = { textDocument = { uri = uri }, options = options }
  if not whole then
    parameters.range = { start = { line = first, character = 0 }, ['end'] = { line = last, character = 0 } }
  end
  client_of.request(client, 'coopmat-analyzer/spirvLines', parameters, function(answer)
    if buffers[buffer] ~= state then
      return
    end
    draw(buffer, answer, first, last)
    if #vim.api.nvim_buf_get_extmarks(buffer, unfolded, 0, -1, {}) == 0 then
      local reason = type(answer.stale) == 'table' and answer.stale.reason or 'no instructions come from here'
      client_of.warn(reason)
    end
  end)
  -- The server tells of new modules to those who follow one: the whole, of which the lines are made.
  local whole_module = { textDocument = { uri = uri }, options = options, follow = true }
  client_of.request(client, 'coopmat-analyzer/spirv', whole_module, function(answer)
    if buffers[buffer] ~= state then
      return
    end
    state.uri = answer.uri
    client_of.follow(answer.uri, state, function()
      fetch(state)
      client_of.request(client, 'coopmat-analyzer/spirv', whole_module, function() end)
    end)
  end)
end

return M

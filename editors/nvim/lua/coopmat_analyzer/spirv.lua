-- `:CoopmatSpirv`: the module of the shader in a split, following edits; what the cursor is in is marked on the other side.

local client_of = require('coopmat_analyzer.client')
local links_of = require('coopmat_analyzer.links')

local M = {}

local marks = vim.api.nvim_create_namespace('coopmat-spirv-links')

--- One preview for each shader's buffer.
local previews = {}

--- Reads `function=main optimise env=vulkan1.3 debug=lines source ids=numbers spec.3=4`, the words of the document's URI.
function M.options(words)
  local parameters = { options = { specialization = vim.empty_dict() } }
  local options = parameters.options
  for _, word in ipairs(words) do
    local key, value = word:match('^([^=]+)=?(.*)$')
    if key == 'function' then
      parameters['function'] = value
    elseif key == 'optimise' or key == 'optimize' then
      options.optimise = true
    elseif key == 'source' then
      options.sourceComments = true
    elseif key == 'env' then
      options.targetEnv = value
    elseif key == 'debug' then
      options.debugInfo = value
    elseif key == 'ids' then
      options.rawIds = value == 'numbers'
    elseif key == 'spec' then
      options.specializeDefaults = value == 'defaults'
    elseif key:find('^spec%.') then
      options.specialization[key:sub(6)] = value
    else
      return nil, 'there is no option `' .. word .. '`: see `:help :CoopmatSpirv`'
    end
  end
  if next(options.specialization) == nil then
    options.specialization = nil
  end
  if next(options) == nil then
    parameters.options = nil
  end
  return parameters
end

local function mark(client, buffer, spans)
  vim.api.nvim_buf_clear_namespace(buffer, marks, 0, -1)
  local lines = vim.api.nvim_buf_line_count(buffer)
  for _, span in ipairs(spans) do
    if span[3] < lines then
      vim.api.nvim_buf_set_extmark(buffer, marks, span[1], client_of.byte_column(client, buffer, span[1], span[2]), {
        end_row = span[3],
        end_col = client_of.byte_column(client, buffer, span[3], span[4]),
        hl_group = 'CoopmatLinked',
        strict = false,
      })
    end
  end
end

--- Brings a line into view in a window, without moving the cursor of the one in use.
local function reveal(window, line)
  if window < 0 then
    return
  end
  vim.api.nvim_win_call(window, function()
    if line + 1 < vim.fn.line('w0') or line + 1 > vim.fn.line('w$') then
      vim.fn.winrestview({ topline = math.max(1, line + 1 - math.floor(vim.api.nvim_win_get_height(0) / 3)) })
    end
  end)
end

--- The place of the cursor as the protocol counts.
local function cursor(client, buffer, window)
  local line, column = unpack(vim.api.nvim_win_get_cursor(window))
  local text = vim.api.nvim_buf_get_lines(buffer, line - 1, line, false)[1] or ''
  if client.offset_encoding == 'utf-8' then
    return line - 1, column
  end
  return line - 1, vim.str_utfindex(text, client.offset_encoding, math.min(column, #text), false)
end

local function from_source(preview)
  local window = vim.fn.bufwinid(preview.source)
  -- Marks of an older text would be at other places: they come back with the next module.
  if window < 0 or preview.changed ~= vim.api.nvim_buf_get_changedtick(preview.source) then
    return
  end
  local line, character = cursor(preview.client, preview.source, window)
  local found = links_of.from_source(preview.links, vim.uri_from_bufnr(preview.source), line, character)
  mark(preview.client, preview.buffer, vim.tbl_map(function(link) return link.instruction end, found))
  vim.api.nvim_buf_clear_namespace(preview.source, marks, 0, -1)
  if found[1] then
    reveal(vim.fn.bufwinid(preview.buffer), found[1].instruction[1])
  end
end

local function from_module(preview)
  local window = vim.fn.bufwinid(preview.buffer)
  if window < 0 then
    return
  end
  local line = vim.api.nvim_win_get_cursor(window)[1] - 1
  local found = links_of.from_instruction(preview.links, line)
  mark(preview.client, preview.buffer, vim.tbl_map(function(link) return link.instruction end, found))
  local uri = vim.uri_from_bufnr(preview.source)
  local here = vim.tbl_filter(function(link) return link.uri == uri end, found)
  if preview.changed == vim.api.nvim_buf_get_changedtick(preview.source) then
    mark(preview.client, preview.source, vim.tbl_map(function(link) return link.source end, here))
  end
  if here[1] then
    reveal(vim.fn.bufwinid(preview.source), here[1].source[1])
  end
end

local function close(preview)
  if previews[preview.source] == preview then
    previews[preview.source] = nil
  end
  pcall(vim.api.nvim_del_augroup_by_id, preview.group)
  if preview.uri then
    client_of.unfollow(preview.client, preview.uri, preview)
  end
  if vim.api.nvim_buf_is_valid(preview.source) then
    vim.api.nvim_buf_clear_namespace(preview.source, marks, 0, -1)
  end
end

local function show(preview, answer)
  if not vim.api.nvim_buf_is_valid(preview.buffer) then
    return
  end
  local stale = answer.stale
  local reason = type(stale) == 'table' and stale.reason or nil
  local text = type(answer.text) == 'string' and answer.text or ''
  if text == '' then
    text = '; There is no module yet' .. (reason and ': ' .. reason or '')
    reason = nil
  end
  client_of.fill(preview.buffer, vim.split(text:gsub('\n$', ''), '\n'))
  preview.stale = reason
  local window = vim.fn.bufwinid(preview.buffer)
  if window >= 0 then
    -- `%` begins an item of this option.
    vim.wo[window].winbar = reason and ('%#CoopmatStale#' .. ('last successful compilation: ' .. reason):gsub('%%', '%%%%')) or ''
  end
  preview.links = links_of.links(answer.map or {}, answer.files or {})
  preview.changed = vim.api.nvim_buf_get_changedtick(preview.source)
  if preview.uri ~= answer.uri then
    if preview.uri then
      client_of.unfollow(preview.client, preview.uri, preview)
    end
    preview.uri = answer.uri
    client_of.follow(answer.uri, preview, function() preview.refresh() end)
  end
  from_source(preview)
end

--- Opens the module of a buffer, or shows another part of it where it is open.
function M.open(source, parameters)
  local client = client_of.of(source)
  if not client then
    return
  end
  parameters.textDocument = { uri = vim.uri_from_bufnr(source) }
  parameters.follow = true
  local preview = previews[source]
  if preview and not vim.api.nvim_buf_is_valid(preview.buffer) then
    close(preview)
    preview = nil
  end
  if not preview then
    local buffer = vim.api.nvim_create_buf(false, true)
    local short = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(source), ':t')
    pcall(vim.api.nvim_buf_set_name, buffer, 'SPIR-V of ' .. short)
    vim.bo[buffer].filetype = 'spirv'
    vim.bo[buffer].bufhidden = 'wipe'
    preview = { source = source, buffer = buffer, client = client, links = {} }
    previews[source] = preview
    local back = vim.api.nvim_get_current_win()
    vim.cmd('rightbelow vsplit')
    local window = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(window, buffer)
    vim.wo[window].wrap = false
    vim.wo[window].number = false
    vim.api.nvim_set_current_win(back)

    preview.group = vim.api.nvim_create_augroup('coopmat-spirv-' .. source, { clear = true })
    local function on(events, where, act)
      vim.api.nvim_create_autocmd(events, { group = preview.group, buffer = where, callback = act })
    end
    on({ 'CursorMoved', 'CursorMovedI' }, source, function() from_source(preview) end)
    on('CursorMoved', buffer, function() from_module(preview) end)
    on('BufWipeout', buffer, function() close(preview) end)
    on('BufWipeout', source, function()
      close(preview)
      vim.schedule(function() pcall(vim.api.nvim_buf_delete, buffer, { force = true }) end)
    end)
    -- `gd` and `<CR>` go to where the instruction comes from, `K` explains it.
    for _, key in ipairs({ '<cr>', 'gd' }) do
      vim.keymap.set('n', key, function() M.go_to_source(preview) end, { buffer = buffer })
    end
    vim.keymap.set('n', 'K', function() M.explain(preview) end, { buffer = buffer })
    vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = buffer, nowait = true })
  end
  preview.parameters = parameters
  preview.refresh = function()
    if not vim.api.nvim_buf_is_valid(preview.source) or not vim.api.nvim_buf_is_valid(preview.buffer) then
      return
    end
    client_of.request(client, 'coopmat-analyzer/spirv', preview.parameters, function(answer)
      if previews[source] == preview then
        show(preview, answer)
      end
    end)
  end
  preview.refresh()
  return preview
end

--- The function around the cursor, as the outline of the server has it: `:CoopmatSpirv here`.
function M.here(source, parameters)
  local client = client_of.of(source)
  if client then
    parameters.position = vim.lsp.util.make_position_params(0, client.offset_encoding).position
    M.open(source, parameters)
  end
end

function M.go_to_source(preview)
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local link = links_of.from_instruction(preview.links, line)[1]
  if not link then
    return client_of.warn('this line does not come from a line of the source')
  end
  local buffer = vim.uri_to_bufnr(link.uri)
  local window = vim.fn.bufwinid(buffer)
  if window >= 0 then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd('aboveleft split')
    vim.api.nvim_win_set_buf(0, buffer)
  end
  local column = client_of.byte_column(preview.client, buffer, link.source[1], link.source[2])
  vim.api.nvim_win_set_cursor(0, { link.source[1] + 1, column })
end

--- The hover of the server on an instruction: what it does, what its operands are for.
function M.explain(preview)
  local line, character = cursor(preview.client, preview.buffer, vim.api.nvim_get_current_win())
  local parameters = { textDocument = { uri = preview.uri }, position = { line = line, character = character } }
  client_of.request(preview.client, 'textDocument/hover', parameters, function(answer)
    if type(answer) ~= 'table' then
      return
    end
    local lines = vim.lsp.util.convert_input_to_markdown_lines(answer.contents)
    vim.lsp.util.open_floating_preview(lines, 'markdown', { focus_id = 'coopmat-spirv' })
  end)
end

--- The preview of a buffer, for tests and for status lines.
function M.preview(source) return previews[source] end

return M

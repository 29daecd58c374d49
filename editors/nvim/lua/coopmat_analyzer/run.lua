-- `:CoopmatRun`: runs the shader on the simulator as its recipe says; a report, and buffers as heat maps, in a split.

local client_of = require('coopmat_analyzer.client')
local colours = require('coopmat_analyzer.colours')

local M = {}

local heat = vim.api.nvim_create_namespace('coopmat-heat')
local costs = vim.api.nvim_create_namespace('coopmat-costs')
local findings = vim.api.nvim_create_namespace('coopmat-findings')

-- A cell is two characters wide, so that it is about a square.
local CELL = '  '
local ROWS, COLUMNS = 64, 128

--- Elements may be numbers, or words for what JSON has no number for.
local function number(value)
  if type(value) == 'number' then
    return value
  end
  return ({ inf = math.huge, ['-inf'] = -math.huge })[value]
end

local function is_finite(value) return value and value == value and math.abs(value) ~= math.huge end

--- Rows and columns of a buffer: the last two numbers of its shape; matrices of a batch stand below one another.
local function extent(buffer)
  local shape = buffer.shape or {}
  local columns = shape[#shape] or #buffer.elements
  columns = math.max(columns, 1)
  return math.ceil(#buffer.elements / columns), columns
end

--- Appends a buffer's picture to `lines`; `colours_of` gets {line, first byte, last byte, group}.
local function picture(buffer, lines, colours_of)
  local rows, columns = extent(buffer)
  local low, high = math.huge, -math.huge
  for _, value in ipairs(buffer.elements) do
    local this = number(value)
    if is_finite(this) then
      low, high = math.min(low, this), math.max(high, this)
    end
  end
  local title = ('%s: %s %s'):format(buffer.name, buffer.type, table.concat(buffer.shape, ' x '))
  if low <= high then
    title = title .. ('  from %.6g to %.6g'):format(low, high)
  end
  table.insert(lines, '')
  table.insert(lines, title)
  for row = 0, math.min(rows, ROWS) - 1 do
    local line = #lines
    local width = 0
    for column = 0, math.min(columns, COLUMNS) - 1 do
      local value = buffer.elements[row * columns + column + 1]
      if value == nil then
        break
      end
      local this = number(value)
      local group = 'CoopmatHeatNaN'
      if is_finite(this) then
        local share = high > low and (this - low) / (high - low) or 0
        group = 'CoopmatHeat' .. math.min(colours.STEPS, 1 + math.floor(share * colours.STEPS))
      end
      table.insert(colours_of, { line, width, width + #CELL, group, value, row, column })
      width = width + #CELL
    end
    table.insert(lines, (' '):rep(width))
  end
  local missing = {}
  if rows > ROWS then
    table.insert(missing, (rows - ROWS) .. ' more rows')
  end
  if columns > COLUMNS then
    table.insert(missing, (columns - COLUMNS) .. ' more columns')
  end
  if (buffer.leftOut or 0) > 0 then
    table.insert(missing, buffer.leftOut .. ' more elements not shown')
  end
  if #missing > 0 then
    table.insert(lines, '... ' .. table.concat(missing, ', '))
  end
end

local function place(at)
  return type(at) == 'table' and ('%s:%d:%d: '):format(at.path, at.line, at.column or 1) or ''
end

local function report_lines(answer)
  local lines = { (answer.met and 'OK      ' or 'FAILED  ') .. answer.summary }
  local report = answer.report
  if type(answer.error) == 'table' then
    table.insert(lines, place(answer.error.path ~= vim.NIL and answer.error or nil) .. answer.error.message)
  end
  if type(report) ~= 'table' then
    return lines
  end
  local modes = report.modes or {}
  table.insert(lines, ('subgroups of %s, numerics %s, ownership %s%s, %.3f s'):format(
    modes['subgroup-size'],
    modes.numerics,
    modes.ownership,
    modes.checked and (modes.strict and ', checked strictly' or ', checked') or '',
    report.seconds or 0
  ))
  for _, expectation in ipairs(report.expectations or {}) do
    table.insert(lines, ('%s  %s = %s: %d of %d elements are wrong, largest error %.3g'):format(
      expectation.met and 'ok    ' or 'WRONG ',
      expectation.buffer,
      expectation.reference,
      expectation.wrong,
      expectation.elements,
      number(expectation['max-absolute']) or 0
    ))
  end
  for _, finding in ipairs(report.findings or {}) do
    table.insert(lines, place(finding.place) .. finding.message)
  end
  if type(report.error) == 'table' then
    table.insert(lines, place(report.error.place) .. report.error.message)
  end
  local work = report.work or {}
  table.insert(lines, ('%d instructions, %d matrix multiplies, %d bytes read, %d written'):format(
    work.instructions or 0,
    work['matrix-multiplies'] or 0,
    work['bytes-read'] or 0,
    work['bytes-written'] or 0
  ))
  return lines
end

--- What was found while running, beside the lines of the source as the problems of the last run.
local function diagnose(source, report)
  vim.diagnostic.reset(findings)
  local here = vim.fs.normalize(vim.api.nvim_buf_get_name(source))
  local list = {}
  local told = vim.list_extend({}, report.findings or {})
  if type(report.error) == 'table' then
    table.insert(told, report.error)
  end
  for _, finding in ipairs(told) do
    local at = type(finding.place) == 'table' and finding.place
    if at and vim.fs.normalize(at.path) == here then
      table.insert(list, {
        lnum = at.line - 1,
        col = (at.column or 1) - 1,
        message = finding.message,
        severity = vim.diagnostic.severity.WARN,
        source = 'coopmat-analyzer run',
      })
    end
  end
  vim.diagnostic.set(findings, source, list)
end

--- What a line did, and its share of the instructions of all.
local function cost(work, all)
  local share = work.instructions / math.max(all, 1) * 100
  local text = ('%s of the instructions: %d'):format(share < 0.5 and '<1 %' or ('%.0f %%'):format(share), work.instructions)
  if (work.bytes or 0) > 0 then
    text = text .. ('; %d bytes read and written'):format(work.bytes)
  end
  if work.passes then
    local extra = work['extra-passes'] or 0
    text = text .. ('; %d passes of shared memory, %s'):format(work.passes, extra > 0 and extra .. ' too many' or 'no conflicts')
  end
  return text, share / 100
end

--- What each line did in the run behind it, until the text changes. `tick`: of the text that was run.
local function show_costs(source, answer, tick)
  vim.api.nvim_buf_clear_namespace(source, costs, 0, -1)
  local stopped = type(answer.report) ~= 'table' or type(answer.report.error) == 'table'
  if stopped or tick ~= vim.api.nvim_buf_get_changedtick(source) then
    return
  end
  local here = vim.fs.normalize(vim.api.nvim_buf_get_name(source))
  local all = 0
  for _, work in ipairs(answer.lines or {}) do
    all = all + work.instructions
  end
  for _, work in ipairs(answer.lines or {}) do
    if vim.fs.normalize(work.path) == here and work.line <= vim.api.nvim_buf_line_count(source) then
      local text, share = cost(work, all)
      local group = 'CoopmatHeat' .. math.min(colours.STEPS, 1 + math.floor(math.sqrt(share) * colours.STEPS))
      local virt_text = { { '  ' }, { CELL, group }, { ' ' .. text, 'Comment' } }
      vim.api.nvim_buf_set_extmark(source, costs, work.line - 1, 0, { virt_text = virt_text })
    end
  end
  vim.api.nvim_buf_attach(source, false, {
    on_lines = function()
      vim.api.nvim_buf_clear_namespace(source, costs, 0, -1)
      return true
    end,
  })
end

--- The value of the cell under the cursor.
local function tell_cell(buffer, cells)
  local line, column = unpack(vim.api.nvim_win_get_cursor(0))
  for _, cell in ipairs(cells) do
    if cell[1] == line - 1 and cell[2] <= column and column < cell[3] then
      vim.api.nvim_echo({ { ('[%d, %d] = %s'):format(cell[6], cell[7], tostring(cell[5])) } }, false, {})
      return
    end
  end
end

local function show(source, answer)
  local lines, cells = report_lines(answer), {}
  for _, buffer in ipairs(type(answer.buffers) == 'table' and answer.buffers or {}) do
    picture(buffer, lines, cells)
  end
  local name = 'Run of ' .. vim.fn.fnamemodify(vim.api.nvim_buf_get_name(source), ':t')
  local flat = vim.tbl_map(function(line) return (line:gsub('\n', ' ')) end, lines)
  local buffer = client_of.scratch(name, 'coopmat-run', flat)
  vim.api.nvim_buf_clear_namespace(buffer, heat, 0, -1)
  for _, cell in ipairs(cells) do
    vim.api.nvim_buf_set_extmark(buffer, heat, cell[1], cell[2], { end_col = cell[3], hl_group = cell[4] })
  end
  vim.api.nvim_create_autocmd('CursorMoved', {
    group = vim.api.nvim_create_augroup('coopmat-run-' .. buffer, { clear = true }),
    buffer = buffer,
    callback = function() tell_cell(buffer, cells) end,
  })
  if type(answer.report) == 'table' then
    diagnose(source, answer.report)
  end
end

--- Writes a recipe that the server made; one that somebody has written meanwhile stays.
local function write(created)
  local path = vim.uri_to_fname(created.uri)
  if vim.uv.fs_stat(path) then
    return
  end
  vim.fn.writefile(vim.split(created.text, '\n', { trimempty = true }), path)
  vim.notify('coopmat-analyzer: wrote ' .. path)
end

local CREATE = 'Create recipe'

--- Runs the shader of a buffer. `words`: `checked`, `checked=strict`, `create`, `lines`, `numerics=NAME`, `ownership=NAME`.
function M.run(source, words)
  local client = client_of.of(source)
  if not client then
    return
  end
  local parameters = { textDocument = { uri = vim.uri_from_bufnr(source) }, buffers = true }
  for _, word in ipairs(words) do
    local key, value = word:match('^([^=]+)=?(.*)$')
    if key == 'checked' and (value == '' or value == 'strict') then
      parameters.checked = true
      parameters.strict = value == 'strict'
    elseif key == 'lines' then
      parameters.profile = true
    elseif key == 'create' then
      parameters.createRecipe = true
    elseif (key == 'numerics' or key == 'ownership') and value ~= '' then
      parameters[key] = value
    else
      return client_of.warn('there is no option `' .. word .. '`: see `:help :CoopmatRun`')
    end
  end
  local tick = vim.api.nvim_buf_get_changedtick(source)
  client_of.request(client, 'coopmat-analyzer/run', parameters, function(answer)
    if answer.missingRecipe then
      local question = { prompt = answer.summary }
      return vim.ui.select({ CREATE, 'Cancel' }, question, function(chosen)
        if chosen == CREATE then
          M.run(source, vim.list_extend({ 'create' }, words))
        end
      end)
    end
    if answer.created then
      write(answer.created)
    end
    show(source, answer)
    if parameters.profile then
      show_costs(source, answer, tick)
    else
      vim.api.nvim_buf_clear_namespace(source, costs, 0, -1)
    end
  end)
end

return M

-- `:CoopmatConfig`, `:CoopmatSpecialize` and `:CoopmatDevice`: what the shader is looked at as. Without a name the user picks from a list.

local client_of = require('coopmat_analyzer.client')

local M = {}

local function told(kind, name)
  vim.api.nvim_echo({ { 'coopmat-analyzer: ' .. kind .. ' ' .. (name or 'as in the project file') } }, false, {})
end

--- Favourites first; each list in its own order.
local function favourites_first(list)
  local sorted = vim.tbl_filter(function(one) return one.favourite end, list)
  vim.list_extend(sorted, vim.tbl_filter(function(one) return not one.favourite end, list))
  return sorted
end

--- Makes the configuration of a name, or the one in view, one that is offered first; or no longer.
function M.favourite(buffer, name)
  local client = client_of.of(buffer)
  if not client then
    return
  end
  local uri = vim.uri_from_bufnr(buffer)
  client_of.request(client, 'coopmat-analyzer/configurations', { uri = uri }, function(list)
    name = name or list.inView
    local is = false
    for _, one in ipairs(list.configurations) do
      is = is or (one.name == name and one.favourite)
    end
    local parameters = { uri = uri, name = name, favourite = not is }
    client_of.request(client, 'coopmat-analyzer/setFavourite', parameters, function()
      told('configuration', name .. (is and ' is no longer a favourite' or ' is a favourite'))
    end)
  end)
end

function M.configuration(buffer, name)
  local client = client_of.of(buffer)
  if not client then
    return
  end
  local uri = vim.uri_from_bufnr(buffer)
  local function set(chosen)
    local parameters = { uri = uri, name = chosen }
    client_of.request(client, 'coopmat-analyzer/setConfiguration', parameters, function(list)
      told('configuration', list.inView)
    end)
  end
  if name then
    return set(name ~= 'project' and name or nil)
  end
  M.pick(buffer, 'Configuration', set)
end

--- Lets the user pick a configuration of the buffer's shader.
function M.pick(buffer, prompt, picked)
  local client = client_of.of(buffer)
  if not client then
    return
  end
  local uri = vim.uri_from_bufnr(buffer)
  client_of.request(client, 'coopmat-analyzer/configurations', { uri = uri }, function(list)
    vim.ui.select(favourites_first(list.configurations), {
      prompt = prompt,
      format_item = function(one)
        local errors = type(one.errors) == 'number' and one.errors > 0 and ('  %d errors'):format(one.errors) or ''
        local mark = (one.inView and '*' or ' ') .. (one.favourite and '+' or ' ')
        return mark .. ' ' .. one.name .. '  ' .. one.summary .. errors
      end,
    }, function(one)
      if one then
        picked(one.name)
      end
    end)
  end)
end

--- `name`: a set of the project file, `recipe`, `project`, or values: `TM=64 TN=64`.
function M.specialization(buffer, name)
  local client = client_of.of(buffer)
  if not client then
    return
  end
  local uri = vim.uri_from_bufnr(buffer)
  local function set(chosen)
    local parameters = { uri = uri, name = chosen }
    client_of.request(client, 'coopmat-analyzer/setSpecialization', parameters, function(list)
      told('specialization constants', type(list.chosen) == 'string' and list.chosen or nil)
    end)
  end
  if name then
    return set(name)
  end
  client_of.request(client, 'coopmat-analyzer/specializations', { uri = uri }, function(list)
    local items = { { name = 'project', values = 'values of the configuration' } }
    if type(list.recipe) == 'table' then
      local values = type(list.recipe.values) == 'string' and list.recipe.values or list.recipe.error
      table.insert(items, { name = 'recipe', values = values })
    end
    vim.list_extend(items, list.sets)
    table.insert(items, { name = 'other values', values = '', typed = true })
    vim.ui.select(items, {
      prompt = 'Specialization constants',
      format_item = function(one) return (one.name == list.chosen and '* ' or '  ') .. one.name .. '  ' .. one.values end,
    }, function(one)
      if not one then
        return
      elseif not one.typed then
        return set(one.name)
      end
      local now = vim.tbl_map(function(constant)
        local value = type(constant.value) == 'string' and constant.value or constant.default
        return constant.name .. '=' .. (type(value) == 'string' and value or '0')
      end, list.constants)
      vim.ui.input({ prompt = 'Values: ', default = table.concat(now, ', ') }, function(values)
        if values then
          set(values)
        end
      end)
    end)
  end)
end

function M.device(buffer, name)
  local client = client_of.of(buffer, true)
  if not client then
    return
  end
  local function set(chosen)
    client_of.request(client, 'coopmat-analyzer/setDevice', { name = chosen }, function(list)
      told('device', type(list.chosen) == 'string' and list.chosen or nil)
    end)
  end
  if name then
    return set(name ~= 'project' and name or nil)
  end
  client_of.request(client, 'coopmat-analyzer/devices', nil, function(list)
    local items = { { name = 'project', title = 'as in the project file' }, { name = 'none', title = 'no device' } }
    vim.list_extend(items, list.devices)
    vim.ui.select(items, {
      prompt = 'Target device',
      format_item = function(one)
        return (one.name == list.chosen and '* ' or '  ') .. one.name .. '  ' .. one.title
      end,
    }, function(one)
      if one then
        set(one.name ~= 'project' and one.name or nil)
      end
    end)
  end)
end

--- Names that begin with `lead`, for completion: the server's own list, asked for while the user waits.
local function names(method, parameters, list_of)
  local client = vim.lsp.get_clients({ bufnr = 0, name = client_of.NAME })[1]
  local answer = client and client:request_sync(method, parameters, 1000, 0)
  return vim.tbl_map(function(one) return one.name end, answer and answer.result and answer.result[list_of] or {})
end

local function starting(lead, list)
  return vim.tbl_filter(function(name) return vim.startswith(name, lead) end, list)
end

function M.complete_configuration(lead)
  local parameters = { uri = vim.uri_from_bufnr(0) }
  return starting(lead, names('coopmat-analyzer/configurations', parameters, 'configurations'))
end

function M.complete_specialization(lead)
  local parameters = { uri = vim.uri_from_bufnr(0) }
  local sets = names('coopmat-analyzer/specializations', parameters, 'sets')
  local constants = vim.tbl_map(
    function(name) return name .. '=' end,
    names('coopmat-analyzer/specializations', parameters, 'constants')
  )
  return starting(lead, vim.list_extend(vim.list_extend({ 'project', 'recipe' }, sets), constants))
end

function M.complete_device(lead)
  return starting(lead, vim.list_extend({ 'none', 'project' }, names('coopmat-analyzer/devices', nil, 'devices')))
end

return M

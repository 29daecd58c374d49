-- `:CoopmatConfig` and `:CoopmatDevice`: what the shader is looked at as. Without a name the user picks from a list.

local client_of = require('coopmat_analyzer.client')

local M = {}

local function told(kind, name)
  vim.api.nvim_echo({ { 'coopmat-analyzer: ' .. kind .. ' ' .. (name or 'as the project says') } }, false, {})
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
  client_of.request(client, 'coopmat-analyzer/configurations', { uri = uri }, function(list)
    vim.ui.select(list.configurations, {
      prompt = 'Configuration',
      format_item = function(one)
        local errors = type(one.errors) == 'number' and one.errors > 0 and ('  %d errors'):format(one.errors) or ''
        return (one.inView and '* ' or '  ') .. one.name .. '  ' .. one.summary .. errors
      end,
    }, function(one)
      if one then
        set(one.name)
      end
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
    local items = { { name = 'project', title = 'what the project says' }, { name = 'none', title = 'no device' } }
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

function M.complete_device(lead)
  return starting(lead, vim.list_extend({ 'none', 'project' }, names('coopmat-analyzer/devices', nil, 'devices')))
end

return M

-- Counting checks of a scripted user, and ending Neovim with what came of them.

local M = {}

local passes, failures = 0, 0

function M.check(what, good, detail)
  if good then
    passes = passes + 1
    io.stdout:write('ok      ' .. what .. '\n')
  else
    failures = failures + 1
    local said = detail ~= nil and (': ' .. (type(detail) == 'string' and detail or vim.inspect(detail))) or ''
    io.stdout:write('FAILED  ' .. what .. said .. '\n')
  end
  return good
end

function M.say(text) io.stdout:write('        ' .. tostring(text):gsub('\n', '\n        ') .. '\n') end

--- Waits for what a callback answers; half a minute, which nothing comes near.
function M.wait(wanted) return vim.wait(30000, wanted, 20) end

function M.text(buffer) return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n') end

--- The text of the window that floats, when there is one; it is closed.
function M.floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      local text = M.text(vim.api.nvim_win_get_buf(window))
      vim.api.nvim_win_close(window, true)
      return text
    end
  end
end

function M.run(script)
  local good, message = xpcall(script, debug.traceback)
  if not good then
    M.check('the script runs', false, message)
  end
  io.stdout:write(string.format('neovim: %d passed, %d failed\n', passes, failures))
  io.stdout:flush()
  vim.cmd(failures == 0 and passes > 0 and 'qall!' or 'cquit 1')
end

return M

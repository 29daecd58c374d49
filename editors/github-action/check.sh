#!/usr/bin/env bash
# The step of action.yml: checks, writes the report, and shows what was found in the log as well.
set -uo pipefail

# Paths and arguments are lists of words.
read -r -a paths <<<"$INPUT_PATHS"
read -r -a arguments <<<"$INPUT_ARGUMENTS"

"$COOPMAT_ANALYZER" check --format sarif "${arguments[@]}" "${paths[@]}" >"$INPUT_SARIF"
code=$?
# 0: nothing, 1: errors were found, or a file was not fully analysed. Anything else means that the check did not run.
if [ "$code" -gt 1 ]; then
  echo "coopmat-analyzer could not check: exit code $code"
  exit "$code"
fi
echo "sarif=$INPUT_SARIF" >>"$GITHUB_OUTPUT"
"$COOPMAT_ANALYZER" check "${arguments[@]}" "${paths[@]}" || true
if [ "$INPUT_FAIL" = true ]; then
  exit "$code"
fi
exit 0

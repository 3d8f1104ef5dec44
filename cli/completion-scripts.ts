/** The scripts of `svc completion`: each asks the program, and offers files where it knows nothing. */
import { COMPLETE } from './completion.ts'

const bash = `# Completion of svc in bash. In ~/.bashrc: source <(svc completion bash)
_svc() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(svc ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _svc svc
`

const zsh = `#compdef svc
# Completion of svc in zsh. In ~/.zshrc, after compinit: source <(svc completion zsh)
_svc() {
  local -a found
  local line
  while IFS= read -r line; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(svc ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then
    _describe svc found
  else
    _files
  fi
}
if [ "\${funcstack[1]}" = _svc ]; then
  _svc "$@"
else
  compdef _svc svc
fi
`

const fish = `# Completion of svc in fish: svc completion fish > ~/.config/fish/completions/svc.fish
function __svc_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (svc ${COMPLETE} $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c svc -f -a '(__svc_complete)'
`

export const completionScripts: Readonly<Record<string, string>> = { bash, zsh, fish }

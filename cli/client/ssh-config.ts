/** Configuration of OpenSSH, as text to append to its files. */
import { CliError, exitCodes } from '../server/exit-codes.ts'
import type { SshKeyFiles } from './ssh-key-files.ts'

/** Characters that ssh_config or a shell would interpret. */
const plain = (path: string): string => {
  if (/["'`$%\\\p{Cc}]/u.test(path))
    throw new CliError(
      exitCodes.usage,
      `--key: ssh_config cannot name ${path}; use a path without quotation marks, $, %, ` + '` and \\',
    )
  return path
}

const within = (mark: string, path: string): string => (path.includes(' ') ? mark + path + mark : path)

const patternOf = (hosts: string): string => {
  if (!/^[\w.*?!:,[\]-]+$/.test(hosts))
    throw new CliError(exitCodes.usage, '--hosts: expected a pattern of ssh_config such as *.example.com')
  return hosts
}

/** Lines for `~/.ssh/config`: ssh renews the certificate before it connects to one of the hosts. */
export const clientConfig = (
  hosts: string,
  { privateKey, certificate }: SshKeyFiles,
): string => `# Append to ~/.ssh/config. ssh renews the certificate when it connects to these hosts.
Match host ${patternOf(hosts)} exec "svc ssh-cert --renew --key ${within("'", plain(privateKey))}"
  IdentityFile ${within('"', privateKey)}
  CertificateFile ${within('"', certificate)}
`

/** Lines for `sshd_config`, and commands that keep its files current. */
export const serverConfig = (
  address: string,
): string => `# Append to /etc/ssh/sshd_config, after the files exist: without the second one, sshd accepts no keys at all.
TrustedUserCAKeys /etc/ssh/svc_ca.pub
RevokedKeys /etc/ssh/svc_revoked_keys
# Without the next line, a certificate opens the account that one of its principals names.
#AuthorizedPrincipalsFile /etc/ssh/principals/%u

# Run every few minutes, for example from cron. The files change only after a complete download.
#
# fetch() { curl -fsS -o "/etc/ssh/$2.new" "${address}/api/v1/ssh/$1" && mv "/etc/ssh/$2.new" "/etc/ssh/$2"; }
# fetch ca.pub svc_ca.pub
# fetch revoked-keys svc_revoked_keys
`

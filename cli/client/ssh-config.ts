/** Configuration of OpenSSH, as text to append to its files. */
import { CliError, exitCodes } from '../server/exit-codes.ts'
import type { SshKeyFiles } from './ssh-key-files.ts'

/** Characters that ssh_config or a shell would interpret. */
const plain = (path: string): string => {
  if (/["'`$%\\\p{Cc}]/u.test(path))
    throw new CliError(
      exitCodes.usage,
      `ssh_config cannot name ${path}; use a path without quotation marks, $, %, ` + '` and \\',
    )
  return path
}

const within = (mark: string, path: string): string => (path.includes(' ') ? mark + path + mark : path)

const patternOf = (hosts: string): string => {
  if (!/^[\w.*?!:,[\]-]+$/.test(hosts))
    throw new CliError(exitCodes.usage, '--hosts: expected a pattern of ssh_config such as *.example.com')
  return hosts
}

/**
 * Lines for `~/.ssh/config`: ssh renews the certificate before it connects to one of the hosts, and knows those that
 * have a certificate.
 * @param known a file for the keys of the authority
 */
export const clientConfig = (
  hosts: string,
  { privateKey, certificate }: SshKeyFiles,
  known: string,
): string => {
  const command = [
    ...['svc ssh-cert --renew --key', within("'", plain(privateKey))],
    ...['--known-hosts', within("'", plain(known))],
  ]
  return `# Append to ~/.ssh/config. ssh renews the certificate when it connects to these hosts, and knows hosts with certificates.
Match host ${patternOf(hosts)} exec "${command.join(' ')}"
  IdentityFile ${within('"', privateKey)}
  CertificateFile ${within('"', certificate)}
  UserKnownHostsFile ~/.ssh/known_hosts ${within('"', known)}
`
}

/** Lines for `sshd_config`, and commands that keep its files current. */
export const serverConfig = (
  address: string,
): string => `# 1. Fetch the files every few minutes, for example with cron. They change only after a complete download.
#
#   cd /etc/ssh && for file in ca.pub revoked-keys; do
#     curl -fsS --max-time 20 -o "svc_$file.new" "${address}/api/v1/ssh/$file" && mv "svc_$file.new" "svc_$file"
#   done
#
# 2. Append these lines to sshd_config once the files exist: without the second file, sshd accepts no keys at all.
TrustedUserCAKeys /etc/ssh/svc_ca.pub
RevokedKeys /etc/ssh/svc_revoked-keys
# A certificate opens the account that one of its principals names. To list them for each account instead:
#AuthorizedPrincipalsFile /etc/ssh/principals/%u
#
# 3. So that users need not confirm the key of this server, get a certificate for it every hour, with an API key of a
#    service account that has the names of this server:
#
#   SVC_API_KEY=svk_... svc ssh-host-cert --renew --server ${address} && systemctl reload ssh
#
HostCertificate /etc/ssh/ssh_host_ed25519_key-cert.pub
`

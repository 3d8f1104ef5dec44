import { spawn } from 'node:child_process'
import { CliError, exitCodes } from '../server/exit-codes.ts'

/**
 * Adds a key and the certificate next to it to the running agent with OpenSSH's `ssh-add`, which asks for a passphrase
 * itself. The agent forgets both when the certificate expires.
 * @param validUntil milliseconds since 1970
 * @throws CliError if there is no agent, or `ssh-add` fails
 */
export const addToAgent = async (privateKey: string, validUntil: number): Promise<void> => {
  if ((process.env['SSH_AUTH_SOCK'] ?? '') === '')
    throw new CliError(exitCodes.error, 'no ssh-agent is running (SSH_AUTH_SOCK is not set)')
  const seconds = Math.max(1, Math.floor((validUntil - Date.now()) / 1000))
  const code = await new Promise<number | string>((resolve, reject) => {
    const child = spawn('ssh-add', ['-q', '-t', String(seconds), privateKey], {
      stdio: ['inherit', 'ignore', 'inherit'],
    })
    child.once('error', () => {
      reject(new CliError(exitCodes.error, 'cannot run ssh-add: is OpenSSH installed?'))
    })
    child.once('close', (exit, signal) => {
      resolve(exit ?? signal ?? 'gone')
    })
  })
  if (code !== 0) throw new CliError(exitCodes.error, `ssh-add failed (${String(code)})`)
}

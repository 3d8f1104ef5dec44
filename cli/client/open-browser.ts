import { spawn } from 'node:child_process'

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  // Not `start`, which needs a shell, and the shell would interpret the address.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens an address in the user's browser, if possible; the user can also open it manually.
 * @param url http or https
 */
export const openBrowser = (url: string, platform: NodeJS.Platform = process.platform): void => {
  const [program, ...args] = openers[platform] ?? ['xdg-open']
  const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore' })
  child.on('error', () => undefined)
  child.unref()
}

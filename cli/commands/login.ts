import { serverOption } from '../client/options.ts'
import { defineCommand } from '../program.ts'

interface Options {
  readonly server: string | undefined
  readonly admin: boolean
  readonly browser: boolean
  readonly json: boolean
}

export const loginCommand = defineCommand<Options>({
  command: 'login',
  describe: 'Sign in on this computer by approving it in a browser',
  builder: (args) =>
    args
      .option('server', serverOption)
      .option('admin', {
        type: 'boolean',
        default: false,
        describe:
          "For 15 minutes, let administrators' commands act with your roles; your other sign-in stays",
      })
      .option('browser', {
        type: 'boolean',
        default: true,
        describe: 'Open a browser if this is a terminal; use --no-browser to open it yourself',
      })
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'Print one line of JSON with the code, and another after sign-in',
      }),
  handler: async ({ server: written, admin, browser, json }) => {
    const { setTimeout: sleep } = await import('node:timers/promises')
    const { adminDeviceSignIn, deviceSignIn } = await import('../client/device-flow.ts')
    const { printable } = await import('../client/http.ts')
    const { openBrowser } = await import('../client/open-browser.ts')
    const { ownAdminSignIn, ownCredentials } = await import('../client/own-store.ts')
    const { replaceSignIn } = await import('../client/sign-out.ts')
    const { namedServer } = await import('../client/server-address.ts')
    const server = await namedServer(written)
    const say = (text: string, value: object): void =>
      void process.stdout.write(json ? `${JSON.stringify(value)}\n` : text)
    const show: Parameters<typeof deviceSignIn>[1] = (verification) => {
      const { verificationUri, verificationUriComplete, userCode } = verification
      say(
        `Open this address in a browser, and check that it shows the code ${userCode}:\n\n` +
          `  ${verificationUriComplete}\n\nOr open ${verificationUri} and enter the code.\nWaiting …\n`,
        { status: 'waiting', ...verification },
      )
      if (browser && process.stdout.isTTY) openBrowser(verificationUriComplete)
    }
    const signIn = async () => {
      if (admin) {
        const signedIn = await adminDeviceSignIn(server, show, sleep)
        return { ...signedIn, warning: await replaceSignIn(ownAdminSignIn(), signedIn.credentials) }
      }
      const signedIn = await deviceSignIn(server, show, sleep)
      return { ...signedIn, warning: await replaceSignIn(ownCredentials(), signedIn.credentials) }
    }

    const { credentials, name, warning } = await signIn()
    if (warning !== null) process.stderr.write(`svc: ${warning}\n`)
    const { userId, email, expiresAt } = credentials
    say(
      `You are signed in to ${server} as ${printable(name)} (${printable(email)})` +
        `${admin ? `, for administration until ${expiresAt}` : ''}.\n`,
      { status: 'signed_in', server, userId, name, email, ...(admin ? { adminUntil: expiresAt } : {}) },
    )
  },
})

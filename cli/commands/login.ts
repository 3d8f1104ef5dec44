import { defineCommand } from '../program.ts'

export const loginCommand = defineCommand<{ server: string; browser: boolean; json: boolean }>({
  command: 'login',
  describe: 'Sign in on this computer by approving it in a browser',
  builder: (args) =>
    args
      .option('server', { type: 'string', demandOption: true, describe: 'Address of the service' })
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
  handler: async ({ server: written, browser, json }) => {
    const { setTimeout: sleep } = await import('node:timers/promises')
    const { deviceSignIn } = await import('../client/device-flow.ts')
    const { printable } = await import('../client/http.ts')
    const { openBrowser } = await import('../client/open-browser.ts')
    const { ownCredentials } = await import('../client/own-store.ts')
    const { replaceSignIn } = await import('../client/sign-out.ts')
    const { serverAddress } = await import('../client/server-address.ts')
    const server = serverAddress(written)
    const say = (text: string, value: object): void =>
      void process.stdout.write(json ? `${JSON.stringify(value)}\n` : text)

    const { credentials, name } = await deviceSignIn(
      server,
      (verification) => {
        const { verificationUri, verificationUriComplete, userCode } = verification
        say(
          `Open this address in a browser, and check that it shows the code ${userCode}:\n\n` +
            `  ${verificationUriComplete}\n\nOr open ${verificationUri} and enter the code.\nWaiting …\n`,
          { status: 'waiting', ...verification },
        )
        if (browser && process.stdout.isTTY) openBrowser(verificationUriComplete)
      },
      sleep,
    )
    const warning = await replaceSignIn(ownCredentials(), credentials)
    if (warning !== null) process.stderr.write(`svc: ${warning}\n`)
    const { userId, email } = credentials
    say(`You are signed in to ${server} as ${printable(name)} (${printable(email)}).\n`, {
      status: 'signed_in',
      server,
      userId,
      name,
      email,
    })
  },
})

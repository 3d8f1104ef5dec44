import { defineCommand } from '../program.ts'

export const whoamiCommand = defineCommand<{ json: boolean }>({
  command: 'whoami',
  describe: 'Show who is signed in on this computer, and where',
  builder: (args) => args.option('json', { type: 'boolean', default: false, describe: 'Print JSON' }),
  handler: async ({ json }) => {
    const { expectGood, printable, textIn } = await import('../client/http.ts')
    const { currentAdminSignIn, ownCredentials } = await import('../client/own-store.ts')
    const { askSignedIn } = await import('../client/tokens.ts')
    const { answer, credentials } = await askSignedIn(ownCredentials(), '/oauth2/userinfo')
    expectGood(answer, 'Reading your profile')
    const { groups } = answer.body
    const person = {
      name: textIn(answer, 'name'),
      email: textIn(answer, 'email'),
      userId: textIn(answer, 'sub'),
      groups: Array.isArray(groups) ? groups.map(String) : [],
      server: credentials.server,
    }
    const adminUntil = (await currentAdminSignIn(person.server))?.expiresAt
    if (json) {
      process.stdout.write(`${JSON.stringify({ ...person, adminUntil })}\n`)
      return
    }
    const lines = [
      ['Name', person.name],
      ['Email', person.email],
      ['User id', person.userId],
      ['Groups', person.groups.length === 0 ? 'none' : person.groups.join(', ')],
      ['Server', person.server],
      ...(adminUntil === undefined ? [] : [['Admin', `until ${adminUntil}`] as const]),
    ] as const
    process.stdout.write(lines.map(([label, value]) => `${label.padEnd(8)} ${printable(value)}\n`).join(''))
  },
})

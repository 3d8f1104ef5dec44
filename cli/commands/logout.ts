import { defineCommand } from '../program.ts'

export const logoutCommand = defineCommand({
  command: 'logout',
  describe: 'Sign out on this computer, for administration too',
  builder: (args) => args,
  handler: async () => {
    const { signOut } = await import('../client/sign-out.ts')
    const { ownAdminSignIn, ownCredentials } = await import('../client/own-store.ts')
    const ended = [await signOut(ownCredentials()), await signOut(ownAdminSignIn())]
    for (const { warning } of ended) if (warning !== null) process.stderr.write(`svc: ${warning}\n`)
    const servers = new Set(ended.flatMap(({ server }) => server ?? []))
    process.stdout.write(
      servers.size === 0
        ? 'You were not signed in.\n'
        : [...servers].map((server) => `You are signed out of ${server}.\n`).join(''),
    )
  },
})

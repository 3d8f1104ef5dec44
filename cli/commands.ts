import { accessCommand } from './commands/access.ts'
import { apiCommand } from './commands/api.ts'
import { whoCommand } from './commands/who.ts'
import { applyCommand } from './commands/apply.ts'
import { exportConfigCommand } from './commands/export-config.ts'
import { planCommand } from './commands/plan.ts'
import { acceptLostSecretKeyCommand } from './commands/accept-lost-secret-key.ts'
import { completionCommand } from './commands/completion.ts'
import { auditCommand } from './commands/audit.ts'
import { backupCommand } from './commands/backup.ts'
import { bootstrapCommand } from './commands/bootstrap.ts'
import { devSessionCommand } from './commands/dev-session.ts'
import { loginCommand } from './commands/login.ts'
import { logoutCommand } from './commands/logout.ts'
import { migrateCommand } from './commands/migrate.ts'
import { projectionsCommand } from './commands/projections.ts'
import { replayCommand } from './commands/replay.ts'
import { restoreCommand } from './commands/restore.ts'
import { rotateSecretKeyCommand } from './commands/rotate-secret-key.ts'
import { sshCertCommand } from './commands/ssh-cert.ts'
import { sshConfigCommand } from './commands/ssh-config.ts'
import { sshHostCertCommand } from './commands/ssh-host-cert.ts'
import { serveCommand } from './commands/serve.ts'
import { seedDemoCommand } from './commands/seed-demo.ts'
import { upgradeCommand } from './commands/upgrade.ts'
import { versionCommand } from './commands/version.ts'
import { whoamiCommand } from './commands/whoami.ts'
import type { Command } from './program.ts'

/** Every command of `svc`, in the order of the help text. */
export const commands: readonly Command[] = [
  serveCommand,
  migrateCommand,
  upgradeCommand,
  bootstrapCommand,
  backupCommand,
  restoreCommand,
  rotateSecretKeyCommand,
  acceptLostSecretKeyCommand,
  projectionsCommand,
  replayCommand,
  auditCommand,
  seedDemoCommand,
  devSessionCommand,
  loginCommand,
  whoamiCommand,
  sshCertCommand,
  sshConfigCommand,
  sshHostCertCommand,
  logoutCommand,
  apiCommand,
  whoCommand,
  accessCommand,
  exportConfigCommand,
  planCommand,
  applyCommand,
  completionCommand,
  versionCommand,
]

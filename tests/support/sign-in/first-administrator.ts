import type { Page } from 'playwright-core'

export const firstAdministrator = { name: 'Ada Lovelace', email: 'ada.lovelace@example.com' }

/** Fills in the setup page for the first administrator. */
export const introduce = async (
  page: Page,
  { name, email }: { readonly name: string; readonly email: string } = firstAdministrator,
): Promise<void> => {
  await page.fill('#profile-name', name)
  await page.fill('#profile-email', email)
}

import type { Locator } from 'playwright-core'

/** Searches in a combobox, and chooses what was found. */
export const pick = async (field: Locator, name: string): Promise<void> => {
  await field.fill(name)
  await field.page().getByRole('option', { name, exact: true }).click()
}

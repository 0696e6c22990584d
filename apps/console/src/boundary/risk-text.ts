const TEXTS: ReadonlyMap<string, string> = new Map([
  ['home_directory', 'a whole home directory'],
  ['parent_of_home', 'holds home directories'],
  ['system_directory', 'part of the system'],
  ['cloud_sync_folder', 'is synchronised to a cloud'],
  ['credential_store', 'holds keys or passwords'],
  ['other_repository', 'another repository'],
  ['outside_project', 'outside the project'],
  ['hard_links', 'has files with other names elsewhere'],
  ['ordinary', 'ordinary'],
]);

/** A class of risk in words; one that is not known as the server names it. */
export function riskText(risk: string): string {
  return TEXTS.get(risk) ?? risk.replaceAll('_', ' ');
}

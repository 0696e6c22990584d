import { createContext } from 'react';

/** Whether code and changes of files stand there in all their length: where somebody decides about them, nothing is behind a scroll bar of its own. */
export const ShownWhole = createContext(false);

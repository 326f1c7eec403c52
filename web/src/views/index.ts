// Everything that is not needed at first sight, loaded together when somebody first goes there: one file on the way instead of
// thirty, and the next place opens at once.
export { everyEntry, recallEntry } from "./entries";
export { default as about } from "./About";
export { default as channelDetails } from "./ChannelDetails";
export { default as closeChannel } from "./CloseChannel";
export { default as context } from "./ContextPreview";
export { default as courses } from "./Courses";
export { default as erase } from "./EraseForm";
export { default as insight } from "./Insight";
export { default as invite } from "./Invite";
export { default as keepCourse } from "./KeepCourse";
export { default as network } from "./Network";
export { default as newChannel } from "./NewChannel";
export { default as publish } from "./PublishForm";
export { default as recall } from "./Recall";
export { default as room } from "./Room";
export { default as rules } from "./Rules";
export { default as scripts } from "./Scripts";
export { default as settings } from "./Settings";
export { default as shortcutList } from "./ShortcutList";
export { default as signIn } from "./SignIn";
export { default as tools } from "./Tools";

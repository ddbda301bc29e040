use Nowhere::AtAll;
